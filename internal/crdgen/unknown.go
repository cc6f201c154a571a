package crdgen

import (
	"slices"
	"strconv"

	"github.com/opgen-dev/opgen/internal/spec"
)

// kubernetesFields are the fields of every Kubernetes object, embedded ones too.
var kubernetesFields = []string{"apiVersion", "kind", "metadata"}

// keepsUnknown tells whether an object keeps fields that its schema does not name.
func keepsUnknown(s *spec.Schema) bool {
	k := &s.Keywords
	if k.XPreserveUnknownFields != nil && *k.XPreserveUnknownFields {
		return true
	}
	return k.XEmbeddedResource && slices.ContainsFunc(kubernetesFields, func(name string) bool { return property(s, name) == nil })
}

// keepUnknown gives a struct a field for what its schema does not name and the API server keeps all the same.
func keepUnknown(t *Type, s *spec.Schema) {
	if !keepsUnknown(s) {
		return
	}
	taken := func(name string) bool {
		return isObjectMethod(name) || slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Name == name })
	}
	t.Unknown = "Unknown"
	for i := 2; taken(t.Unknown); i++ {
		t.Unknown = "Unknown" + strconv.Itoa(i)
	}
	t.Fields = append(t.Fields, Field{
		Name: t.Unknown, Tag: "-",
		Doc:  []string{t.Unknown + " has the fields that the schema does not name, by their names."},
		Type: &GoType{Shape: Map, Elem: kubeType(typeJSON)},
	})
}

// fieldType returns the type of a property. The metadata of an embedded resource is that of every object, whatever the
// schema says of it.
func (b *packageBuilder) fieldType(parent, n node, name string) *GoType {
	if parent.schema.Keywords.XEmbeddedResource && name == "metadata" && n.schema.Type == "" {
		if len(n.schema.Properties) > 0 {
			b.unsaid(n.path, "keywords of metadata")
		}
		return metaType("ObjectMeta")
	}
	return b.typeOf(n)
}
