package apply

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func TestListKeys(t *testing.T) {
	for _, text := range []string{
		`{"name":"web"}`, `{"containerPort":8080,"protocol":"TCP"}`, `{"uid":"1b4e-28"}`, `{"on":true,"n":-3}`, `{"name":""}`,
		`{"name":"a,b"}`, `{"name":"a:b"}`, `{"name":"a\"b"}`, `{"name":"Zoë"}`, `{"name":"a b"}`, `{"a,b":"c"}`, `{"ratio":0.5}`, `{ "name" : "web" }`,
	} {
		keys, ok := parseListKeys(text)
		if !ok {
			t.Errorf("%s is not read", text)
			continue
		}
		var fields map[string]any
		if err := utiljson.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatal(err)
		}
		if len(keys) != len(fields) || countMatchingKeys(fields, keys) != len(fields) {
			t.Errorf("%s is read as %v", text, keys)
		}
		for name := range fields {
			if fields[name] = "other"; countMatchingKeys(fields, keys) > 0 {
				t.Errorf("%s matches %v", text, fields)
			}
		}
	}
	for _, text := range []string{``, `{`, `"a"`, `{"a"}`, `{"a":}`, `[1]`, `{a:1}`} {
		if keys, ok := parseListKeys(text); ok {
			t.Errorf("%s is read as %v", text, keys)
		}
	}
}

func FuzzListKeys(f *testing.F) {
	f.Add(`{"name":"web"}`)
	f.Add(`{"containerPort":8080,"protocol":"TCP"}`)
	f.Fuzz(func(t *testing.T, text string) {
		plain, ok := parsePlainKeys(text)
		if !ok {
			return
		}
		var fields map[string]any
		if err := utiljson.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatalf("%s is read as %v, and is no JSON: %v", text, plain, err)
		}
		names := slices.CompactFunc(slices.SortedFunc(slices.Values(plain), func(a, b listKey) int { return cmp.Compare(a.name, b.name) }),
			func(a, b listKey) bool { return a.name == b.name })
		for _, key := range names {
			if value, _ := json.Marshal(fields[key.name]); len(names) == len(plain) && string(value) != key.value && !key.matches(fields[key.name]) {
				t.Errorf("%s: %s is %s, not %s", text, key.name, value, key.value)
			}
		}
	})
}
