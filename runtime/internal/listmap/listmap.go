// Package listmap knows which lists of Kubernetes' own kinds are maps or sets to
// server-side apply, and by which keys it tells their items apart.
//
// The API server creates an object in which two items have the same keys, and
// refuses every later apply to it. So [Check] finds them before the object exists.
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
	of     string // the type of the field, or of its items; empty where nothing is known of it
	unique bool   // it is a list whose items differ in their keys, or in their value
	keys   []key
}

// key is a field by which items are told apart.
type key struct {
	name     string
	fallback string // what an item has that leaves it out
}

// Type is what is known of a value: which of its fields are lists with keys. Of
// the zero value nothing is known.
type Type struct{ name string }

// Of returns the type of a kind.
func Of(kind schema.GroupVersionKind) Type { return Type{kinds[kind]} }

// list returns what is known of a field.
func (t Type) list(name string) member {
	for _, m := range types[t.name] {
		if m.name == name {
			return m
		}
	}
	return member{}
}

// Field returns the type of a field, or of its items if it is a list.
func (t Type) Field(name string) Type { return Type{t.list(name).of} }

// Keys returns the keys of an item of a field, with the defaults of those that the
// item leaves out. It returns nil if the field is not known as a list with keys.
func (t Type) Keys(field string, item map[string]any) map[string]any {
	keys := t.list(field).keys
	if len(keys) == 0 {
		return nil
	}
	values := map[string]any{}
	for _, key := range keys {
		values[key.name] = key.of(item)
	}
	return values
}

// of returns the value of a key of an item; nil where it has none.
func (k key) of(item map[string]any) any {
	if value, ok := item[k.name]; ok || k.fallback == "" {
		return value
	}
	return k.fallback
}

// Check returns an error if two items of a list in an object have the same keys.
// It names the list and the keys; an object of an unknown kind passes.
func Check(kind schema.GroupVersionKind, object map[string]any) error {
	return Of(kind).check("", object)
}

func (t Type) check(path string, object map[string]any) error {
	for _, m := range types[t.name] {
		if err := m.check(path+m.name, object[m.name]); err != nil {
			return err
		}
	}
	return nil
}

// check looks at the value of a field.
func (m member) check(path string, value any) error {
	below := Type{m.of}
	switch value := value.(type) {
	case map[string]any:
		return below.check(path+".", value)
	case []any:
		if m.unique {
			if err := m.distinct(path, value); err != nil {
				return err
			}
		}
		for i, item := range value {
			object, _ := item.(map[string]any)
			if err := below.check(fmt.Sprintf("%s[%d].", path, i), object); err != nil {
				return err
			}
		}
	}
	return nil
}

// distinct compares the keys of all items.
func (m member) distinct(path string, items []any) error {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		text := m.keysOf(item)
		if first, twice := seen[text]; twice {
			return fmt.Errorf("%s[%d] and %s[%d] are both %s: items of this list must differ in that", path, first, path, i, text)
		}
		seen[text] = i
	}
	return nil
}

// keysOf describes the keys of an item: "name A", "port 80, protocol TCP".
func (m member) keysOf(item any) string {
	object, ok := item.(map[string]any)
	if !ok || len(m.keys) == 0 {
		return fmt.Sprint(item)
	}
	texts := make([]string, len(m.keys))
	for i, key := range m.keys {
		texts[i] = fmt.Sprintf("%s %v", key.name, key.of(object))
	}
	return strings.Join(texts, ", ")
}
