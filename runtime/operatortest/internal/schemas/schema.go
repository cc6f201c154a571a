package schemas

import (
	"maps"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Schema is a part of a kind's OpenAPI v3 schema. It is empty if the schema has no such part.
type Schema struct {
	node       *spec.Schema
	components map[string]*spec.Schema
}

// newSchema returns the schema of a schema node, with its references resolved.
func newSchema(node *spec.Schema, components map[string]*spec.Schema) Schema {
	if node == nil {
		return Schema{components: components}
	}
	if reference := node.Ref.String(); reference != "" {
		return newSchema(components[reference[strings.LastIndex(reference, "/")+1:]], components)
	}
	if len(node.AllOf) != 1 {
		return Schema{node, components}
	}
	merged := newSchema(&node.AllOf[0], components)
	if merged.node == nil {
		return Schema{node, components}
	}
	whole := *merged.node
	if node.Default != nil {
		whole.Default = node.Default
	}
	whole.Extensions = maps.Clone(whole.Extensions)
	for name, extension := range node.Extensions {
		whole.AddExtension(name, extension)
	}
	return Schema{&whole, components}
}

// Exists reports whether there is such a part.
func (s Schema) Exists() bool { return s.node != nil }

// Field returns the schema of a field of an object, or of a value of a map.
func (s Schema) Field(name string) Schema {
	if s.node == nil {
		return s
	}
	if node, ok := s.node.Properties[name]; ok {
		return newSchema(&node, s.components)
	}
	if values := s.node.AdditionalProperties; values != nil {
		return newSchema(values.Schema, s.components)
	}
	return Schema{components: s.components}
}

// Items returns the schema of the items of a list.
func (s Schema) Items() Schema {
	if s.node == nil || s.node.Items == nil {
		return Schema{components: s.components}
	}
	return newSchema(s.node.Items.Schema, s.components)
}

// IsMap reports whether an object accepts any key.
func (s Schema) IsMap() bool {
	return s.node != nil && (s.node.AdditionalProperties != nil && s.node.Properties == nil || s.preservesUnknown())
}

func (s Schema) preservesUnknown() bool {
	return s.extension("x-kubernetes-preserve-unknown-fields") == true
}

func (s Schema) extension(name string) any {
	if s.node == nil {
		return nil
	}
	return s.node.Extensions[name]
}

// IsAtomic reports whether a list or an object is owned as a whole.
func (s Schema) IsAtomic(value any) bool {
	if _, ok := value.([]any); ok {
		kind := s.extension("x-kubernetes-list-type")
		return kind != "map" && kind != "set"
	}
	return s.extension("x-kubernetes-map-type") == "atomic"
}

// Keys returns the fields that identify the items of a list.
func (s Schema) Keys() (keys []string) {
	named, _ := s.extension("x-kubernetes-list-map-keys").([]any)
	for _, key := range named {
		keys = append(keys, key.(string))
	}
	return keys
}

// Enum returns the only valid values, if there are such.
func (s Schema) Enum() []any {
	if s.node == nil {
		return nil
	}
	return s.node.Enum
}

// Format returns the format of a string or a number.
func (s Schema) Format() string {
	if s.node == nil {
		return ""
	}
	return s.node.Format
}

// IsIntOrString reports whether a value is a number or a string.
func (s Schema) IsIntOrString() bool {
	return s.Format() == "int-or-string" || s.extension("x-kubernetes-int-or-string") == true
}

// Element returns the path element of an item of a list with this schema.
func (s Schema) Element(item any, index int) fieldpath.PathElement {
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
func (s Schema) dropUnknown(value any) any {
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
func (s Schema) knows(name string) bool {
	if s.node == nil || len(s.node.Properties) == 0 || s.node.AdditionalProperties != nil || s.preservesUnknown() {
		return true
	}
	_, ok := s.node.Properties[name]
	return ok
}
