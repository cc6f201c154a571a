package usertemplates

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// FieldsOf returns the fields of a version in the order of the spec file, each followed by those
// below it.
func FieldsOf(v *spec.Version) []Field {
	var l fieldList
	if v.Spec != nil {
		l.add(v.Spec, Field{Path: "spec", Name: "spec", Required: requiresSpec(v)})
	}
	if v.Status != nil {
		l.add(v.Status, Field{Path: "status", Name: "status"})
	}
	if v.Root != nil {
		l.addBelow(v.Root.Declared(), Field{Depth: -1})
	}
	return l.fields
}

// requiresSpec reports whether an object must have a spec: the root requires it, or a field of it
// is required.
func requiresSpec(v *spec.Version) bool {
	if v.Root != nil && v.Root.Keywords.Required != nil {
		return slices.Contains(v.Root.Keywords.Required, "spec")
	}
	return v.StandardRoot && len(crdgen.FullSchema(v.Spec).Required) > 0
}

// fieldList collects fields.
type fieldList struct{ fields []Field }

// add adds a field with a schema, and all fields below it.
func (l *fieldList) add(s *spec.Schema, f Field) {
	keywords := crdgen.FullSchema(s)
	f.Type, f.Format = typeOf(s), formatOf(keywords)
	f.Nullable, f.Description = keywords.Nullable, keywords.Description
	if keywords.Default != nil {
		f.Default = compactJSON(keywords.Default.Raw)
	}
	own := ownKeywords(s)
	f.Limits = limitsOf(own)
	if s.Type != "" { // the type in the spec file may imply limits that the file does not have
		f.Limits = slices.DeleteFunc(f.Limits, func(l Limit) bool { _, set := s.At[l.Name]; return !set })
	}
	for _, value := range own.Enum {
		f.Enum = append(f.Enum, compactJSON(value.Raw))
	}
	for _, rule := range own.XValidations {
		f.Rules = append(f.Rules, Rule{Rule: rule.Rule, Message: rule.Message})
	}
	l.fields = append(l.fields, f)
	l.addBelow(s.Declared(), f)
}

// ownKeywords returns the keywords of a schema merged with those of the named type that it uses. It
// leaves out those of Kubernetes and Go types, which are part of what the type means.
func ownKeywords(s *spec.Schema) apiextv1.JSONSchemaProps {
	if s.Use != nil {
		return crdgen.Overlay(ownKeywords(s.Use.Schema), s.Keywords)
	}
	return s.Keywords
}

// addBelow adds the fields below a schema: of an object, of the items of a list, or of the values of
// a map.
func (l *fieldList) addBelow(s *spec.Schema, parent Field) {
	required := crdgen.FullSchema(s).Required
	for _, p := range s.Properties {
		l.add(p.Schema, Field{
			Path: strings.TrimPrefix(parent.Path+"."+p.Name, "."), Name: p.Name, Depth: parent.Depth + 1,
			Required: slices.Contains(required, p.Name),
		})
	}
	l.addEach(s.Items, parent, "[]")
	l.addEach(s.AdditionalProperties, parent, "{}")
}

// addEach adds what is below the items of a list or the values of a map. It adds the item or value
// itself only if it has limits.
func (l *fieldList) addEach(s *spec.Schema, parent Field, mark string) {
	if s == nil {
		return
	}
	parent.Path += mark
	own := ownKeywords(s)
	if len(limitsOf(own)) > 0 || len(own.Enum) > 0 || len(own.XValidations) > 0 {
		l.add(s, Field{Path: parent.Path, Name: parent.Name, Depth: parent.Depth})
		return
	}
	l.addBelow(s.Declared(), parent)
}

// shortTypes are the words of the shorthand for types of Kubernetes.
var shortTypes = map[string]string{
	spec.TypeTime: "time", spec.TypeDuration: "duration", spec.TypeQuantity: "quantity", spec.TypeIntOrString: "intOrString",
}

// typeOf returns the type of a schema in the shorthand.
func typeOf(s *spec.Schema) string {
	s = s.Declared()
	k := s.Keywords
	switch {
	case shortTypes[s.Type] != "":
		return shortTypes[s.Type]
	case s.Type != "":
		return s.Type
	case s.Items != nil:
		return "[]" + typeOf(s.Items)
	case s.AdditionalProperties != nil && len(s.Properties) == 0:
		return "map[string]" + typeOf(s.AdditionalProperties)
	case k.XIntOrString:
		return "intOrString"
	case k.Type == "":
		return "any"
	case k.Type == "boolean":
		return "bool"
	case (k.Type == "integer" || k.Type == "number") && k.Format != "":
		return k.Format
	}
	return k.Type
}

// formatOf returns the format of a string.
func formatOf(k apiextv1.JSONSchemaProps) string {
	if k.Type != "string" {
		return ""
	}
	return k.Format
}

// limitsOf returns the limits of a schema.
func limitsOf(k apiextv1.JSONSchemaProps) []Limit {
	var limits []Limit
	for _, limit := range spec.KeywordsOf(spec.Limit) {
		if value, isSet := limit.LimitText(&k); isSet {
			limits = append(limits, Limit{Name: limit.Name, Value: value})
		}
	}
	return limits
}

// compactJSON returns a JSON value without unnecessary white space. It does not escape <, > and &.
func compactJSON(raw []byte) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return string(raw)
	}
	return strings.TrimSpace(out.String())
}
