package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/spec"
)

// FuzzImport checks that whatever is imported arrives: the CRD that is made again says the same,
// descriptions word for word, and the Go types hold together.
func FuzzImport(f *testing.F) {
	files, err := crdFiles("testdata/crds")
	if err != nil || len(files) == 0 {
		f.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		specs, problems := importer.Import("crd.yaml", data)
		if len(problems) > 0 {
			return
		}
		sources, err := crdDocuments(data)
		for i, imported := range specs {
			crd, problems := crdgen.CRD(imported.API, spec.DefaultMinKubernetes)
			if len(problems) > 0 {
				return
			}
			// Files that the two readers of YAML cut into documents differently have no
			// counterpart.
			if err == nil && len(sources) == len(specs) && isText(sources[i]) {
				arrives(t, sources[i], crd)
			}
			holdsTogether(t, imported.API)
		}
	})
}

// FuzzTexts puts texts into all places of a CRD that take text. Those that the API server accepts
// arrive as they are and become nothing else anywhere.
func FuzzTexts(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text)
		f.Add(text, "value", "name")
	}
	f.Fuzz(func(t *testing.T, description, value, name string) { _ = textsArrive(t, description, value, name) })
}

// TestHostileTextsArrive sees to it that the texts that FuzzTexts starts from are not just refused.
func TestHostileTextsArrive(t *testing.T) {
	for _, text := range hostile {
		if err := textsArrive(t, text, "value", "name"); err != nil {
			t.Errorf("as description: %v", err)
		}
		if err := textsArrive(t, "description", text, "name"); err != nil {
			t.Errorf("as value: %v", err)
		}
	}
}

// textsArrive returns why texts are refused, nil when they arrived.
func textsArrive(t *testing.T, description, value, name string) error {
	t.Helper()
	source := crdOfTexts(description, value, name)
	if !isText(source) {
		return errors.New("is no text")
	}
	data, err := yaml.Marshal(source)
	if err != nil {
		return err
	}
	specs, problems := importer.Import("crd.yaml", data)
	if err := problems.Err(); err != nil {
		return err
	}
	crd, problems := crdgen.CRD(specs[0].API, spec.DefaultMinKubernetes)
	if err := problems.Err(); err != nil {
		return err
	}
	var again map[string]any // as the API server reads it
	if err := yaml.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	arrives(t, again, crd)
	holdsTogether(t, specs[0].API)
	return nil
}

// FuzzSpec checks spec files: what is accepted gives a CRD that can be imported again, and Go that
// holds together.
func FuzzSpec(f *testing.F) {
	for _, pattern := range []string{"../../internal/templates/testdata/goapi/*.txtar", "../../internal/crdgen/testdata/problems/*.txtar", "../../testdata/golden/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: nothing: %v", pattern, err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range archive.Files {
				if bytes.Contains(file.Data, []byte("\nkind: API\n")) {
					f.Add(file.Data)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		api, problems := spec.ParseAPI("a.yaml", data)
		if len(problems) > 0 {
			return
		}
		crd, problems := crdgen.CRD(api, spec.DefaultMinKubernetes)
		if len(problems) > 0 {
			return
		}
		text, err := crdgen.MarshalCRDOf(api, crd)
		if err != nil {
			t.Fatal(err)
		}
		holdsTogether(t, api)
		specs, problems := importer.Import("crd.yaml", text)
		if len(problems) > 0 {
			t.Fatalf("the CRD cannot be imported: %v\n%s", problems, text)
		}
		var source map[string]any
		if err := yaml.Unmarshal(text, &source); err != nil {
			t.Fatal(err)
		}
		again, problems := crdgen.CRD(specs[0].API, spec.DefaultMinKubernetes)
		if len(problems) > 0 {
			t.Fatalf("what was imported is not accepted: %v\n%s", problems, specs[0].Text)
		}
		arrives(t, source, again)
	})
}

// arrives checks that a CRD that was made says what its source says, descriptions word for word.
func arrives(t *testing.T, source map[string]any, made any) {
	t.Helper()
	raw, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	was, is := map[string]string{}, map[string]string{}
	descriptions(source, "", was)
	descriptions(got, "", is)
	if !reflect.DeepEqual(was, is) {
		t.Errorf("descriptions\n%q\nbecame\n%q", was, is)
	}
}

// descriptions collects the descriptions of a CRD by their path.
func descriptions(v any, path string, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if key == "default" || key == "example" || key == "enum" {
				continue
			}
			text, isText := value.(string)
			if key == "description" && isText && text != "" {
				into[path] = text
			}
			descriptions(value, path+"/"+key, into)
		}
	case []any:
		for _, item := range v {
			descriptions(item, path+"/-", into)
		}
	}
}

// isText reports whether a value has nothing but text in it that JSON can hold.
func isText(v any) bool {
	raw, err := json.Marshal(v)
	return err == nil && !strings.Contains(string(raw), `\ufffd`) && utf8.Valid(raw)
}

// hostile are texts that mean something to one of the readers that they pass through.
var hostile = []string{
	"plain", "", " ", "\n", "\n\n# comment\n", "+kubebuilder:validation:Maximum=1", "a\n+kubebuilder:object:root=true\nb",
	"//go:generate rm -rf nothing", "//go:build ignore", "a\n//go:embed x\n//line a.go:1", "*/ package x /*", "`back` \"double\" 'single'",
	"{{ .Values.x }} {{- end }} $(shell x) ${X} `x`", "a: b # c", "- a\n- b", "---\nkind: x\n---", "...", "%YAML 1.1", "&a *a !a", "yes", "no", "null", "~",
	"012", "1e3", ".5", "0x1F", "2001-12-14", "true", "tab\tand\u00a0space", "ends with space ", " starts with space", "trailing\\", "\r\n", "a\rb",
	"\u2028", "\ufeff", "\x00", "\x1b[31m", "\u202e", "日本語", "é", "🙂", "TODO: later", "a\n---\nb", "```\n+marker\n```", "Deprecated: no",
	"deepCopy", "type", "func", "String", "apiVersion", "kind", "metadata", "a,omitempty", "a\" json:\"b", "-", "x-y_z", "A", "aA", "a.b", "a/b[0]",
	strings.Repeat("long ", 300), "<script>alert(1)</script>", "| pipe", "string | required", "[]string", "map[string]string", "core/v1.PodSpec", "a\\nb",
}

// crdOfTexts returns a CRD with the description in every place that takes one, the value in every
// place that takes any text, and the name as that of a field.
func crdOfTexts(description, value, name string) map[string]any {
	type object = map[string]any
	text := object{"type": "string", "description": description, "default": value, "enum": []any{value, value + "x"}, "title": value, "example": value}
	fields := object{
		name:     text,
		"other":  object{"type": "string", "pattern": "^" + regexp.QuoteMeta(value), "format": value},
		"list":   object{"type": "array", "description": description, "items": object{"type": "object", "description": description, "properties": object{"a": text}}, "default": []any{object{"a": value}}},
		"map":    object{"type": "object", "additionalProperties": object{"type": "string", "description": description, "maxLength": 3}},
		"open":   object{"type": "object", "description": description, "x-kubernetes-preserve-unknown-fields": true, "default": object{"k" + name: value}},
		"enums":  object{"type": "array", "items": object{"type": "string", "enum": []any{value, "b", value + "c"}}},
		"either": object{"type": "string", "anyOf": []any{object{"enum": []any{value}}, object{"minLength": 2}}},
	}
	rule := object{"rule": "self.other != 'a'"}
	columns := []any{}
	if strings.TrimSpace(value) != "" {
		columns = append(columns, object{"name": value, "type": "string", "jsonPath": ".spec.other", "description": description})
		if !strings.ContainsAny(value, "\r\n") {
			rule["message"] = value
		}
	}
	schema := object{"type": "object", "description": description, "properties": object{
		"spec": object{"type": "object", "description": description, "properties": fields, "required": []any{name}, "x-kubernetes-validations": []any{rule}},
	}}
	version := object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": schema},
		"additionalPrinterColumns": columns}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": "texts.example.com", "annotations": object{"a": value}},
		"spec": object{
			"group": "example.com", "scope": "Namespaced",
			"names":    object{"kind": "Text", "listKind": "TextList", "plural": "texts", "singular": "text"},
			"versions": []any{version},
		},
	}
}
