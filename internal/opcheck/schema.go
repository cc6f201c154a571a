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

// wholeObject adds apiVersion, kind and metadata, which every object has, to the schema of a kind.
// It returns nil for nil: not known.
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

// metadata is the schema of ObjectMeta, made from its Go type, because CRDs never describe it. It
// knows strings, numbers, and lists and maps of them.
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

// fieldSchema returns the schema of a field, nil if it is not known. If the field does not exist,
// the message says so, and the hint lists the fields that do.
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
		len(s.Properties) == 0: // the types of Kubernetes have such metadata
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

// itemSchema returns the schema of the items of a list, nil if it is not known or not a list.
func itemSchema(s *schema) *schema {
	if s == nil || s.Type != "array" || s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// valueSchema returns the schema of the values of a map, nil if it is not known or not a map.
func valueSchema(s *schema) *schema {
	if s == nil || s.Type != "object" || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

func quoteName(name string) string { return `"` + name + `"` }

// nameType returns a type as messages name it: its name in the shorthand with an article.
func nameType(typeName string) string {
	if typeName == "array" {
		return "a list"
	}
	return spec.WithArticle(typeName)
}
