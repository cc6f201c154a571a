package opcheck

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

type schema = apiextv1.JSONSchemaProps

// wholeObject returns the schema of a whole object, in which what every object has is spelled out.
// Nil stays nil: not known.
func wholeObject(s *schema) *schema {
	if s == nil {
		return nil
	}
	whole := *s
	whole.Properties = maps.Clone(s.Properties)
	if whole.Properties == nil {
		whole.Properties = map[string]schema{}
	}
	whole.Type = "object"
	whole.Properties["apiVersion"] = schema{Type: "string"}
	whole.Properties["kind"] = schema{Type: "string"}
	whole.Properties["metadata"] = metadata
	return &whole
}

// metadata is the schema of metadata, which CRDs never have: that of its Go type, as far as it is
// text, numbers and their lists and maps.
var metadata = func() schema {
	s := schema{Type: "object", Properties: map[string]schema{}}
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s.Properties[name] = schemaOf(f.Type)
	}
	return s
}()

func schemaOf(t reflect.Type) schema {
	switch {
	case t.Kind() == reflect.String:
		return schema{Type: "string"}
	case t.Kind() == reflect.Int64:
		return schema{Type: "integer"}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return schema{Type: "array", Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &schema{Type: "string"}}}
	case t.Kind() == reflect.Map:
		return schema{Type: "object", AdditionalProperties: &apiextv1.JSONSchemaPropsOrBool{Schema: &schema{Type: "string"}}}
	}
	return schema{} // not known
}

// fieldSchema returns the schema of a field, nil when it is not known. The message says that there
// is none, and the hint which there are.
func fieldSchema(s *schema, name string) (found *schema, message, hint string) {
	if s == nil || s.Type == "" {
		return nil, "", ""
	}
	if next, ok := s.Properties[name]; ok {
		return &next, "", ""
	}
	switch {
	case s.Type != "object":
		return nil, "there is no " + quoteName(name) + " in " + nameType(s.Type), ""
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema, "", ""
	case s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields, s.XEmbeddedResource,
		len(s.Properties) == 0: // as Kubernetes types say of metadata
		return nil, "", ""
	}
	known := slices.Sorted(maps.Keys(s.Properties))
	message = "there is no " + quoteName(name)
	if best := nearest.Name(name, known); best != "" {
		return nil, message, "did you mean " + quoteName(best) + "?"
	}
	if len(known) <= 24 {
		hint = "known: " + strings.Join(known, ", ")
	}
	return nil, message, hint
}

// itemSchema returns the schema of the items of a list, nil when it is not known or no list.
func itemSchema(s *schema) *schema {
	if s == nil || s.Type != "array" || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// valueSchema returns the schema of the values of a map, nil when it is not known or no map.
func valueSchema(s *schema) *schema {
	if s == nil || s.Type != "object" || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

func quoteName(name string) string { return `"` + name + `"` }

// nameType returns what messages call a type: its name in the shorthand, behind its article.
func nameType(typeName string) string {
	if typeName == "array" {
		return "a list"
	}
	return spec.WithArticle(typeName)
}
