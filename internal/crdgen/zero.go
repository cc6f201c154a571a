package crdgen

import (
	"context"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/opgen-dev/opgen/internal/spec"
)

// RootRequires reports whether every object must have the field name, spec or status.
func RootRequires(v *spec.Version, name string) bool {
	if v.Root != nil && v.Root.Keywords.Required != nil {
		return slices.Contains(v.Root.Keywords.Required, name)
	}
	return name == "spec" && v.StandardRoot && specRequired(v)
}

// RootHasRulesFor reports whether rules of the root schema may concern the field name, spec or
// status.
func RootHasRulesFor(v *spec.Version, name string) bool {
	if v.Root == nil {
		return false
	}
	k := v.Root.Keywords
	for _, rule := range k.XValidations {
		if strings.Contains(rule.Rule, name) {
			return true
		}
	}
	k.XValidations = nil
	return HasCrossFieldRules(&k)
}

// AcceptsZero reports whether the zero value of the Go type of a spec or a status is valid. If it
// is, the Go field needs no pointer to express that it is absent.
func AcceptsZero(v *spec.Version, name string, s *spec.Schema) bool {
	types, _ := resolveTypes("", *v)
	schemas := newSchemaBuilder(types)
	full := schemas.nodeSchema(s)
	zero := zeroValue(&full)
	if zero == nil || !isValid(&full, zero, false) {
		return false
	}
	if !RootHasRulesFor(v, name) {
		return true
	}
	root := schemas.rootSchema(v)
	object, _ := zeroValue(root).(map[string]any)
	object["apiVersion"], object["kind"], object["metadata"] = "v1", "Kind", map[string]any{"name": "name"}
	object[name] = zero
	return isValid(root, object, true)
}

// isValid reports whether a value is valid for the schema of a valid CRD.
func isValid(s *apiextv1.JSONSchemaProps, value any, root bool) bool {
	structural, openAPI, err := compileSchema(trimToValue(s, value))
	if err != nil {
		return false // cannot happen: the CRD has been checked
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(value, structural)
	defaulting.Default(value, structural)
	if len(validation.ValidateCustomResource(nil, value, openAPI)) > 0 {
		return false
	}
	rules := cel.NewValidator(structural, root, celconfig.PerCallLimit)
	if rules == nil {
		return true
	}
	broken, _ := rules.Validate(context.Background(), nil, structural, value, nil, celconfig.RuntimeCELCostBudget)
	return len(broken) == 0
}

// zeroValue returns the zero value of a schema's Go type as JSON. For a struct it is an object with
// the required fields, as the others have omitempty.
func zeroValue(s *apiextv1.JSONSchemaProps) any {
	switch {
	case s.XIntOrString && s.Pattern != "":
		return "0" // of a quantity
	case s.XIntOrString, s.Type == "integer":
		return int64(0)
	case s.Type == "number":
		return float64(0)
	case s.Type == "boolean":
		return false
	case s.Type == "string" && s.Format != "date-time" && s.Format != "byte":
		return ""
	case len(s.Properties) == 0 && (s.Type != "object" || s.AdditionalProperties != nil || s.XPreserveUnknownFields != nil):
		return nil
	}
	zero := map[string]any{}
	for _, name := range s.Required {
		if property, declared := s.Properties[name]; declared {
			zero[name] = zeroValue(&property)
		}
	}
	return zero
}

// trimToValue returns a schema without the CEL rules for fields that a value does not have.
// Compiling those rules would take most of the time.
func trimToValue(s *apiextv1.JSONSchemaProps, value any) *apiextv1.JSONSchemaProps {
	short := *s
	fields, _ := value.(map[string]any)
	if len(s.Properties) > 0 {
		short.Properties = map[string]apiextv1.JSONSchemaProps{}
	}
	for name, property := range s.Properties {
		if _, set := fields[name]; set || property.Default != nil {
			short.Properties[name] = *trimToValue(&property, fields[name])
		} else {
			short.Properties[name] = *withoutRules(&property)
		}
	}
	return &short
}

// withoutRules returns a schema without its CEL rules. The types of fields stay, as rules above
// them refer to them.
func withoutRules(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	bare := *s
	bare.XValidations = nil
	if len(s.Properties) > 0 {
		bare.Properties = map[string]apiextv1.JSONSchemaProps{}
	}
	for name, property := range s.Properties {
		bare.Properties[name] = *withoutRules(&property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		bare.Items = &apiextv1.JSONSchemaPropsOrArray{Schema: withoutRules(s.Items.Schema)}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		bare.AdditionalProperties = &apiextv1.JSONSchemaPropsOrBool{Allows: true, Schema: withoutRules(values.Schema)}
	}
	return &bare
}
