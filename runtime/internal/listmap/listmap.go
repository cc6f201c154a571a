// Package listmap knows which lists of Kubernetes' own kinds are maps or sets to server-side apply,
// and which keys identify their items.
//
// The API server creates an object in which two items have the same keys, and refuses every later
// apply to it. [CheckDistinct] finds them before the object is created.
package listmap

//go:generate go run ../../../internal/listkeys table.go

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// member is a field of a type.
type member struct {
	name   string
	of     string // the type of the field, or of its items; empty: it is not known
	unique bool   // it is a list whose items have different keys or values
	keys   []key
}

// key is a field that identifies an item of a list.
type key struct {
	name     string
	fallback string // the default
}

// Type says which fields of a value are lists with keys. The zero value knows nothing.
type Type struct{ name string }

// Of returns the type of a kind.
func Of(kind schema.GroupVersionKind) Type { return Type{kinds[kind]} }

// fieldNamed returns the field of a name.
func (t Type) fieldNamed(name string) member {
	for _, m := range types[t.name] {
		if m.name == name {
			return m
		}
	}
	return member{}
}

// Field returns the type of a field, or of its items if it is a list.
func (t Type) Field(name string) Type { return Type{t.fieldNamed(name).of} }

// Keys returns the keys of an item of a list field, with defaults for keys that the item leaves
// out. It returns nil if the field is not known as a list with keys.
func (t Type) Keys(field string, item map[string]any) map[string]any {
	keys := t.fieldNamed(field).keys
	if len(keys) == 0 {
		return nil
	}
	values := map[string]any{}
	for _, key := range keys {
		values[key.name] = key.valueIn(item)
	}
	return values
}

// valueIn returns the value of the key in an item, or its default. It is nil if there is none.
func (k key) valueIn(item map[string]any) any {
	if value, ok := item[k.name]; ok || k.fallback == "" {
		return value
	}
	return k.fallback
}

// CheckDistinct returns an error if two items of a list in an object have the same keys. The error names
// the list and the keys. Objects of unknown kinds have none.
func CheckDistinct(kind schema.GroupVersionKind, object map[string]any) error {
	return Of(kind).checkListsIn("", object)
}

// checkListsIn checks the lists in the fields of an object.
func (t Type) checkListsIn(path string, object map[string]any) error {
	for _, m := range types[t.name] {
		if err := m.checkValue(path+m.name, object[m.name]); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks the value of a field.
func (m member) checkValue(path string, value any) error {
	below := Type{m.of}
	switch value := value.(type) {
	case map[string]any:
		return below.checkListsIn(path+".", value)
	case []any:
		if m.unique {
			if err := m.checkDistinct(path, value); err != nil {
				return err
			}
		}
		for i, item := range value {
			object, _ := item.(map[string]any)
			if err := below.checkListsIn(fmt.Sprintf("%s[%d].", path, i), object); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDistinct returns an error if two items have the same keys.
func (m member) checkDistinct(path string, items []any) error {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		text := m.describeKeys(item)
		if first, twice := seen[text]; twice {
			return fmt.Errorf("%s[%d] and %s[%d] are both %s: items of this list must differ in that", path, first, path, i, text)
		}
		seen[text] = i
	}
	return nil
}

// describeKeys describes the keys of an item, such as "port 80, protocol TCP".
func (m member) describeKeys(item any) string {
	object, ok := item.(map[string]any)
	if !ok || len(m.keys) == 0 {
		return fmt.Sprint(item)
	}
	texts := make([]string, len(m.keys))
	for i, key := range m.keys {
		texts[i] = fmt.Sprintf("%s %v", key.name, key.valueIn(object))
	}
	return strings.Join(texts, ", ")
}
