package gomodel

import (
	"slices"
	"strconv"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// kubernetesFields are the fields of every Kubernetes object, embedded ones included.
var kubernetesFields = []string{"apiVersion", "kind", "metadata"}

// keepsUnknownFields reports whether an object keeps fields that its schema does not name.
func keepsUnknownFields(s *spec.Schema) bool {
	k := &s.Keywords
	if k.XPreserveUnknownFields != nil && *k.XPreserveUnknownFields {
		return true
	}
	return k.XEmbeddedResource && slices.ContainsFunc(kubernetesFields, func(name string) bool { return !hasProperty(s, name) })
}

func hasProperty(s *spec.Schema, name string) bool {
	return slices.ContainsFunc(s.Properties, func(p spec.Property) bool { return p.Name == name })
}

// addUnknownFields adds a field to a struct for what its schema does not name and the API server keeps.
func addUnknownFields(t *Type, s *spec.Schema) {
	if !keepsUnknownFields(s) {
		return
	}
	t.Unknown = freeName(t, "Unknown")
	t.Fields = append(t.Fields, Field{
		Name: t.Unknown, Tag: "-",
		Doc:  []string{t.Unknown + " has the fields that the schema does not name, by their names."},
		Type: &GoType{Shape: Map, Elem: kubeType(typeJSON)},
	})
}

// keepNulls adds a field to a struct that says which of its optional fields are null. A nil field
// alone would mean that it is absent.
func keepNulls(t *Type, nullable []string) {
	if len(nullable) == 0 {
		return
	}
	t.Nulls, t.Nullable = freeName(t, "Nulls"), nullable
	t.Fields = append(t.Fields, Field{
		Name: t.Nulls, Tag: "-",
		Doc:  []string{t.Nulls + " has the names of fields that are null. A field that is nil, and not named here, is absent."},
		Type: &GoType{Shape: List, Elem: basicType("string")},
	})
}

// canBeNull reports whether an optional field can be null as well as absent.
func canBeNull(s *spec.Schema, required bool) bool { return !required && crdgen.FullSchema(s).Nullable }

// freeName returns a name that no field or method of a struct has: the given one, or with a number.
func freeName(t *Type, name string) string {
	taken := func(name string) bool {
		return isObjectMethod(name) || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == name })
	}
	free := name
	for i := 2; taken(free); i++ {
		free = name + strconv.Itoa(i)
	}
	return free
}

// fieldType returns the type of a property. The metadata of an embedded resource is always ObjectMeta,
// whatever the schema says about it.
func (b *packageBuilder) fieldType(parent, n node, name string) *GoType {
	if parent.schema.Keywords.XEmbeddedResource && name == "metadata" && n.schema.Type == "" {
		return metaType("ObjectMeta")
	}
	return b.typeOf(n)
}
