package managedfields

import (
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestParsePath(t *testing.T) {
	for text, expected := range map[string]fieldpath.Path{
		".spec.replicas":                       fieldpath.MakePathOrDie("spec", "replicas"),
		".data":                                fieldpath.MakePathOrDie("data"),
		`.metadata.labels.app\.example\.com/x`: fieldpath.MakePathOrDie("metadata", "labels", "app.example.com/x"),
	} {
		if path, err := ParsePath(text); err != nil || !path.Equals(expected) {
			t.Errorf("%s: %v, %v", text, path, err)
		}
	}
	for text, expected := range map[string]string{
		"":                   "starts with a dot",
		"spec.replicas":      "starts with a dot",
		".":                  "a name is missing",
		".spec.":             "a name is missing",
		".spec..replicas":    "a name is missing",
		".spec.ports[0].x":   "selects items",
		".spec.ports[*].one": "selects items",
	} {
		if path, err := ParsePath(text); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%q: %v, %v", text, path, err)
		}
	}
}

func TestIsAround(t *testing.T) {
	for _, test := range []struct {
		path, other fieldpath.Path
		expected    bool
	}{
		{fieldpath.MakePathOrDie("a"), fieldpath.MakePathOrDie("a", "b"), true},
		{fieldpath.MakePathOrDie("a", "b"), fieldpath.MakePathOrDie("a", "b"), true},
		{fieldpath.MakePathOrDie("a", "b", "c"), fieldpath.MakePathOrDie("a", "b"), false},
		{fieldpath.MakePathOrDie("b"), fieldpath.MakePathOrDie("a", "b"), false},
		{nil, fieldpath.MakePathOrDie("a"), true},
	} {
		if IsAround(test.path, test.other) != test.expected {
			t.Errorf("%s around %s: %v", test.path, test.other, !test.expected)
		}
	}
}
