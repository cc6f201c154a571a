package schemas

import (
	"maps"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Shape is a part of a kind's OpenAPI v3 schema. It is empty if the schema has no such part.
type Shape struct {
	node       *spec.Schema
	components map[string]*spec.Schema
}

// newShape returns the shape of a schema node, with its references resolved.
func newShape(node *spec.Schema, components map[string]*spec.Schema) Shape {
	if node == nil {
		return Shape{components: components}
	}
	if reference := node.Ref.String(); reference != "" {
		return newShape(components[reference[strings.LastIndex(reference, "/")+1:]], components)
	}
	if len(node.AllOf) != 1 {
		return Shape{node, components}
	}
	merged := newShape(&node.AllOf[0], components)
	if merged.node == nil {
		return Shape{node, components}
	}
	whole := *merged.node
	if node.Default != nil {
		whole.Default = node.Default
	}
	whole.Extensions = maps.Clone(whole.Extensions)
	for name, extension := range node.Extensions {
		whole.AddExtension(name, extension)
	}
	return Shape{&whole, components}
}

// Exists reports whether there is such a part.
func (s Shape) Exists() bool { return s.node != nil }

// Field returns the shape of a field of an object, or of a value of a map.
func (s Shape) Field(name string) Shape {
	if s.node == nil {
		return s
	}
	if node, ok := s.node.Properties[name]; ok {
		return newShape(&node, s.components)
	}
	if values := s.node.AdditionalProperties; values != nil {
		return newShape(values.Schema, s.components)
	}
	return Shape{components: s.components}
}

// Items returns the shape of the items of a list.
func (s Shape) Items() Shape {
	if s.node == nil || s.node.Items == nil {
		return Shape{components: s.components}
	}
	return newShape(s.node.Items.Schema, s.components)
}

// IsMap reports whether an object accepts any key.
func (s Shape) IsMap() bool {
	return s.node != nil && (s.node.AdditionalProperties != nil && s.node.Properties == nil || s.preservesUnknown())
}

func (s Shape) preservesUnknown() bool {
	return s.extension("x-kubernetes-preserve-unknown-fields") == true
}

func (s Shape) extension(name string) any {
	if s.node == nil {
		return nil
	}
	return s.node.Extensions[name]
}

// IsAtomic reports whether a list or an object is owned as a whole.
func (s Shape) IsAtomic(value any) bool {
	if _, ok := value.([]any); ok {
		kind := s.extension("x-kubernetes-list-type")
		return kind != "map" && kind != "set"
	}
	return s.extension("x-kubernetes-map-type") == "atomic"
}

// Keys returns the fields that identify the items of a list.
func (s Shape) Keys() (keys []string) {
	named, _ := s.extension("x-kubernetes-list-map-keys").([]any)
	for _, key := range named {
		keys = append(keys, key.(string))
	}
	return keys
}

// Enum returns the only valid values, if there are such.
func (s Shape) Enum() []any {
	if s.node == nil {
		return nil
	}
	return s.node.Enum
}

// Format returns the format of a string or a number.
func (s Shape) Format() string {
	if s.node == nil {
		return ""
	}
	return s.node.Format
}

// IsIntOrString reports whether a value is a number or a string.
func (s Shape) IsIntOrString() bool {
	return s.Format() == "int-or-string" || s.extension("x-kubernetes-int-or-string") == true
}

// Element returns the path element of an item of a list of this shape.
func (s Shape) Element(item any, index int) fieldpath.PathElement {
	object, _ := item.(map[string]any)
	if keys := s.Keys(); object != nil && len(keys) > 0 {
		var fields value.FieldList
		for _, key := range keys {
			found, ok := object[key]
			if node := s.Items().Field(key).node; !ok && node != nil {
				found = node.Default
			}
			if found != nil {
				fields = append(fields, value.Field{Name: key, Value: value.NewValueInterface(found)})
			}
		}
		fields.Sort()
		return fieldpath.PathElement{Key: &fields}
	}
	if s.extension("x-kubernetes-list-type") == "set" {
		return fieldpath.ValueElement(value.NewValueInterface(item))
	}
	return fieldpath.IndexElement(index)
}

// dropUnknown returns a value without the fields that the schema does not have.
func (s Shape) dropUnknown(value any) any {
	switch value := value.(type) {
	case map[string]any:
		known := make(map[string]any, len(value))
		for name, field := range value {
			if s.knows(name) {
				known[name] = s.Field(name).dropUnknown(field)
			}
		}
		return known
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = s.Items().dropUnknown(item)
		}
		return items
	}
	return value
}

// knows reports whether an object may have a field.
func (s Shape) knows(name string) bool {
	if s.node == nil || len(s.node.Properties) == 0 || s.node.AdditionalProperties != nil || s.preservesUnknown() {
		return true
	}
	_, ok := s.node.Properties[name]
	return ok
}
