package managedfields

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestExtract(t *testing.T) {
	const object = `{"spec": {"a": 1, "b": {"c": 2, "d": 3}, "empty": {}, "args": ["x", "y"], "set": ["p", "q", "r"],
		"items": [{"name": "one", "port": 1, "x": 1}, {"name": "two", "port": 2}, {"name": "three", "port": 3}]}, "status": {"s": 1}}`
	for fields, want := range map[string]string{
		`{}`: `{}`,
		`{"f:spec": {"f:a": {}, "f:gone": {}, "f:args": {}, "f:empty": {}}}`: `{"spec": {"a": 1, "args": ["x", "y"], "empty": {}}}`,
		`{"f:spec": {"f:b": {".": {}, "f:c": {}}}}`:                          `{"spec": {"b": {"c": 2}}}`,
		`{"f:spec": {"f:set": {"v:\"r\"": {}, "v:\"p\"": {}}}}`:              `{"spec": {"set": ["p", "r"]}}`,
		`{"f:spec": {"f:items": {"k:{\"name\":\"three\"}": {".": {}, "f:name": {}}, "k:{\"name\":\"one\"}": {"f:name": {}, "f:x": {}}, "k:{\"name\":\"gone\"}": {".": {}}}}}`: `{"spec": {"items": [{"name": "one", "x": 1}, {"name": "three"}]}}`,
	} {
		if diff := cmp.Diff(parseJSON(t, want), Extract(Parse([]byte(fields)), parseJSON(t, object))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", fields, diff)
		}
	}
}

func TestWithValueAtChangesNothingElse(t *testing.T) {
	const before = `{"spec": {"items": [{"name": "one"}, {"name": "two", "port": 2}]}}`
	object := parseJSON(t, before)
	for _, test := range []struct {
		path fieldpath.Path
		want string
	}{
		{fieldpath.MakePathOrDie("spec", "new"), `{"spec": {"items": [{"name": "one"}, {"name": "two", "port": 2}], "new": 7}}`},
		{fieldpath.MakePathOrDie("spec", "items", fieldpath.KeyByFields("name", "two"), "port"), `{"spec": {"items": [{"name": "one"}, {"name": "two", "port": 7}]}}`},
		{fieldpath.MakePathOrDie("spec", "items", fieldpath.KeyByFields("name", "one"), "port"), `{"spec": {"items": [{"name": "one", "port": 7}, {"name": "two", "port": 2}]}}`},
	} {
		changed := WithValueAt(object, test.path, int64(7)).(map[string]any)
		if diff := cmp.Diff(parseJSON(t, test.want), changed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
		if got := ValueAt(changed, test.path); !got.Exists || got.Value != int64(7) {
			t.Errorf("%s is %v", test.path, got)
		}
		if diff := cmp.Diff(parseJSON(t, before), object); diff != "" {
			t.Errorf("%s has changed the object: %s", test.path, diff)
		}
	}
	if ValueAt(object, fieldpath.MakePathOrDie("spec", "items", fieldpath.KeyByFields("name", "gone"), "port")).Exists {
		t.Error("an item that is not there has a value")
	}
}
