package managedfields

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/objectfields"
)

// ParsePath reads a path of fields, such as .spec.replicas. A dot in a name is written as \. as in
// .metadata.annotations.example\.com/owner. It returns an error for a path that selects items.
func ParsePath(text string) (path fieldpath.Path, err error) {
	switch {
	case !strings.HasPrefix(text, "."):
		return nil, fmt.Errorf("%q is not a path: a path starts with a dot, such as .spec.replicas", text)
	case strings.Contains(text, "["):
		return nil, fmt.Errorf("%q selects items: a path ends at the list at the latest", text)
	}
	for _, name := range objectfields.Names(text) {
		if name == "" {
			return nil, fmt.Errorf("%q is not a path: a name is missing, or a dot in a name lacks its backslash", text)
		}
		path = append(path, fieldpath.FieldNameElement(name))
	}
	return path, nil
}

// IsAround reports whether a path is another one, or leads to an object or a list around it.
func IsAround(path, other fieldpath.Path) bool {
	return len(path) <= len(other) && slices.EqualFunc(path, other[:len(path)], fieldpath.PathElement.Equals)
}
