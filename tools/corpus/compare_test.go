package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// TestComparisonSeesLosses shows what counts as a loss or an addition, and what does not.
func TestComparisonSeesLosses(t *testing.T) {
	text := &gomodel.GoType{Shape: gomodel.Name, Name: "string"}
	m := newModel(gomodel.Package{
		Kinds: []gomodel.Kind{{Name: "Thing"}},
		Types: []gomodel.Type{{Name: "Thing", Object: true, Fields: []gomodel.Field{
			{Name: "Text", Tag: "text,omitempty", Type: text},
			{Name: "List", Tag: "list,omitzero", Type: &gomodel.GoType{Shape: gomodel.List, Elem: text}},
			{Name: "Time", Tag: "time", Type: &gomodel.GoType{Shape: gomodel.Name, Name: "Time", Package: metaPackage}},
			{Name: "Size", Tag: "size", Type: &gomodel.GoType{Shape: gomodel.Name, Name: "Quantity", Package: quantityPackage}},
			{Name: "Selector", Tag: "selector", Type: &gomodel.GoType{Shape: gomodel.Name, Name: "LabelSelector", Package: metaPackage}},
			{Name: "Any", Tag: "any", Type: &gomodel.GoType{Shape: gomodel.Name, Name: "JSON", Package: apiextPackage}},
		}}},
	})
	for _, tc := range []struct{ given, in, out, want string }{
		{"the same", `{"text":"a","list":["b"]}`, `{"list":["b"],"text":"a"}`, ""},
		{"an empty text is gone", `{"text":""}`, `{}`, `.text: "" was lost`},
		{"an empty list is gone", `{"list":[]}`, `{}`, `.list: [] was lost`},
		{"an item is gone", `{"list":["a","b"]}`, `{"list":["a"]}`, `.list: ["a","b"] was lost`},
		{"an item changed", `{"list":["a"]}`, `{"list":["b"]}`, `.list[0]: "a" became "b"`},
		{"null is gone", `{"text":null}`, `{}`, `.text: null was lost`},
		{"a field that no type has", `{"other":1}`, `{}`, `.other: 1 was lost`},
		{"a field that no type has is null", `{"other":null}`, `{}`, `.other: null was lost`},
		{"a zero value was added", `{}`, `{"text":""}`, ""},
		{"null was added", `{}`, `{"list":null}`, `.list: null was added`},
		{"an empty object was added", `{}`, `{"status":{}}`, `.status: {} was added`},
		{"a spec was added", `{}`, `{"spec":{}}`, ""},
		{"something was added", `{}`, `{"text":"a"}`, `.text: "a" was added`},
		{"a time in its canonical form", `{"time":"2026-01-02T04:04:05.6+01:00"}`, `{"time":"2026-01-02T03:04:05Z"}`, ""},
		{"another time", `{"time":"2026-01-02T03:04:05Z"}`, `{"time":"2026-01-02T03:04:06Z"}`, `.time: "2026-01-02T03:04:05Z" became "2026-01-02T03:04:06Z"`},
		{"a quantity in its canonical form", `{"size":1000}`, `{"size":"1k"}`, ""},
		{"another quantity", `{"size":"1k"}`, `{"size":"1Ki"}`, `.size: "1k" became "1Ki"`},
		{"what a type of Kubernetes leaves out", `{"selector":{"matchLabels":{}}}`, `{"selector":{}}`, ""},
		{"what it must not", `{"selector":{"matchLabels":{"a":""}}}`, `{"selector":{}}`, `.selector.matchLabels: {"a":""} was lost`},
		{"a number that is written otherwise", `{"any":1000000000000000000000}`, `{"any":1e+21}`, ""},
		{"a number that is less precise", `{"any":9007199254740993}`, `{"any":9007199254740992}`, `.any: 9007199254740993 became 9007199254740992`},
	} {
		t.Run(tc.given, func(t *testing.T) {
			c := comparison{model: m}
			if got := c.compareValues(m.rootType(), decode(t, tc.in), decode(t, tc.out), ""); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
