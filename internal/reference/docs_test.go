package reference

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

const page = repository + "/docs/spec.md"

// TestGoldenSpecDocs keeps docs/spec.md what its template and the tables of this package say.
func TestGoldenSpecDocs(t *testing.T) {
	prose, err := template.New("spec.md.tmpl").Funcs(template.FuncMap{
		"keys": keyTable, "warnings": warningTable, "keywords": keywordTable, "types": typeTable, "markers": markerTable,
	}).ParseFiles(page + ".tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := prose.Execute(&want, nil); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/spec.md is out of date: run make docs (-want +got):\n%s", diff)
	}
}

// keyTable is the table of the keys of a mapping.
func keyTable(mapping string) (string, error) {
	tables := map[string][]key{
		"project": projectKeys(), "api": apiKeys(), "types": typesKeys(), "names": nameKeys(), "version": versionKeys(), "column": columnKeys(),
		"conversion": conversionKeys(), "webhook": webhookKeys(), "clientConfig": clientConfigKeys(), "service": serviceKeys(),
		"metadata": metadataKeys(), "subresources": subresourceKeys(),
		"scale": scaleKeys(), "operator": operatorKeys(), "child": childKeys(), "related": relatedKeys(), "policyRule": policyRuleKeys(), "rule": ruleKeys(),
		"controller": controllerKeys(), "parent": parentKeys(),
	}
	keys, ok := tables[mapping]
	if !ok {
		return "", fmt.Errorf("no keys of %s", mapping)
	}
	rows := [][]string{{"Key", "Means", "Default"}}
	for _, k := range keys {
		rows = append(rows, []string{code(k.name), k.means, k.byDefault()})
	}
	return table(rows), nil
}

// byDefault says what the absence of a key means.
func (k key) byDefault() string {
	switch {
	case k.required:
		return "required"
	case k.value.Default != nil:
		value, err := json.Marshal(k.value.Default)
		if err != nil {
			panic(err)
		}
		if text := strings.Trim(string(value), `"`); !strings.HasPrefix(text, "1.") {
			return code(text)
		}
		return code(string(value))
	case k.absent != "":
		return k.absent
	}
	return "none"
}

func keywordTable() string {
	rows := [][]string{{"Keyword", "Means"}}
	for _, k := range slices.Concat(keywords(), holders(ref(""), ref("")), []key{goName(), goConstants()}) {
		rows = append(rows, []string{code(k.name), k.means})
	}
	return table(rows)
}

func warningTable() string {
	rows := [][]string{{"Warning", "Of"}}
	for _, w := range spec.Warnings() {
		rows = append(rows, []string{code(string(w)), warningMeans[w]})
	}
	return table(rows)
}

func typeTable() string {
	rows := [][]string{{"Type", "OpenAPI", "Go"}}
	for _, w := range typeWords() {
		rows = append(rows, []string{code(w.names...), w.openAPI, w.goType})
	}
	return table(append(rows,
		[]string{code("[]T"), "type array", "slice"},
		[]string{code("map[string]T"), "type object with additionalProperties", "map"},
		[]string{code("core/v1.PodSpec"), "the schema of the Kubernetes type", "the type"},
		[]string{code("example.com/lib/api.Address"), "the schema of the [Go type](#go-types)", "the type"},
		[]string{code("TLS"), "the schema that `types` names so", "a type of that name"},
	))
}

// markerTable is the table of the markers; an array is a list and an object may be a map.
func markerTable() string {
	rows := [][]string{{"Marker", "Applies to", "Value", "Means"}}
	for _, m := range markers() {
		kinds := "all types"
		switch {
		case m.places != nil:
			kinds = joined(m.places)
		case m.kinds != nil:
			kinds = strings.Join(m.kinds, ", ")
		}
		rows = append(rows, []string{code(m.name), kinds, m.form.says, m.means()})
	}
	return table(rows)
}

func joined(places []place) string {
	var all []string
	for _, p := range places {
		all = append(all, string(p))
	}
	return strings.Join(all, ", ")
}

func code(texts ...string) string { return "`" + strings.Join(texts, "`, `") + "`" }

// table is a table of Markdown; the first row is its head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return b.String()
}
