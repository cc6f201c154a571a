package reference

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/template"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files again")

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
	if diff := gocmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/spec.md is out of date: run make docs (-want +got):\n%s", diff)
	}
}

// keyTable is the table of the keys of a mapping.
func keyTable(mapping string) (string, error) {
	m, ok := spec.Describe().Mappings[mapping]
	if !ok {
		return "", fmt.Errorf("no mapping is called %s", mapping)
	}
	rows := [][]string{{"Key", "Means", "Default"}}
	for _, k := range m.Keys {
		rows = append(rows, []string{code(k.Name), k.Means(), absenceOf(k)})
	}
	return table(rows), nil
}

// absenceOf says what the absence of a key means.
func absenceOf(k spec.Key) string {
	switch {
	case k.Required:
		return "required"
	case strings.HasPrefix(k.Default(), "1."): // a version, which is quoted
		return code(strconv.Quote(k.Default()))
	case k.Default() != "":
		return code(k.Default())
	case k.Absent != "":
		return k.Absent
	}
	return "none"
}

func keywordTable() string {
	rows := [][]string{{"Keyword", "Means"}}
	for _, k := range spec.Keywords() {
		rows = append(rows, []string{code(k.Name), k.Doc})
	}
	return table(rows)
}

func warningTable() string {
	rows := [][]string{{"Warning", "Of"}}
	for _, w := range spec.Warnings() {
		rows = append(rows, []string{code(string(w)), w.Means()})
	}
	return table(rows)
}

func typeTable() string {
	rows := [][]string{{"Type", "OpenAPI", "Go"}}
	for _, w := range spec.TypeWords() {
		rows = append(rows, []string{code(w.Names...), w.OpenAPI, w.Go})
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
	for _, k := range markerKeywords() {
		kinds := "all types"
		switch {
		case positionsOf(k) != nil:
			kinds = joined(positionsOf(k))
		case k.Types != nil:
			kinds = strings.Join(k.Types, ", ")
		}
		rows = append(rows, []string{code(k.Marker), kinds, formOf(k).says, cmp.Or(k.MarkerDoc, k.Doc)})
	}
	return table(rows)
}

func joined(places []position) string {
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
