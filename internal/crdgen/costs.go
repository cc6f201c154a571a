package crdgen

import (
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Hints about rules whose estimated cost is too high.
const (
	// orValueHint is for a rule that may have all limits: the estimate of orValue is that of a value
	// without any.
	orValueHint   = "orValue loses the limit of the field that it reads: write has(self.x) and self.x in place of self.?x.orValue(…)"
	stringHint    = "leave string() out of messageExpression: its result has no limit to the estimate"
	foreignHint   = " is of a Kubernetes type, whose fields get no limits: limit how many there are, or declare the fields that the rule reads yourself"
	allOfHint     = "write the limit beside allOf: the estimate of the cost does not look into allOf"
	allLimitsHint = "all that the rule reads has limits: lower them, or write a simpler rule"
)

// costHint returns what lowers the cost of the rule at a path of a CRD.
func costHint(api *spec.API, crd *apiextv1.CustomResourceDefinition, at, rule string) string {
	if strings.HasSuffix(at, ".messageExpression") && strings.Contains(rule, "string(") {
		return stringHint
	}
	if strings.Contains(rule, "orValue(") {
		return orValueHint
	}
	found := unlimitedAt(crd, at, rule)
	var missing []string
	for _, u := range found {
		_, path := Locate(api, u.path)
		switch {
		case u.inAllOf:
			return allOfHint
		case isOfKubernetes(api, u.path):
			of, _, _ := strings.Cut(path, ".properties.")
			return of + foreignHint
		case !slices.Contains(missing, path+" a "+u.keyword):
			missing = append(missing, path+" a "+u.keyword)
		}
	}
	switch {
	case len(missing) == 0:
		return allLimitsHint
	case len(missing) > 3:
		missing = append(missing[:3], "and so on")
	}
	return "give " + strings.Join(missing, ", ")
}

// unlimited is a list, a map or a string without a limit.
type unlimited struct {
	path, keyword string
	inAllOf       bool // the limit is there, but only within allOf
}

// unlimitedAt returns what has no limit of the lists and maps around a rule, and of what the rule
// reads.
func unlimitedAt(crd *apiextv1.CustomResourceDefinition, at, rule string) []unlimited {
	elements, version := splitPath(at), 0
	elements.skip("spec")
	if elements.skip("versions") {
		version = elements.takeIndex()
	}
	isInSchema := elements.skip("schema") || elements.skip("validation")
	if !isInSchema || !elements.skip("openAPIV3Schema") || version >= len(crd.Spec.Versions) || crd.Spec.Versions[version].Schema == nil {
		return nil
	}
	path := field.NewPath("spec", "versions").Index(version).Child("schema", "openAPIV3Schema")
	schema := crd.Spec.Versions[version].Schema.OpenAPIV3Schema
	var found []unlimited
	for schema != nil {
		switch {
		case elements.skip("properties"):
			name := elements.takeKey()
			property, path2 := schema.Properties[name], path.Child("properties").Key(name)
			schema, path = &property, path2
		case elements.skip("items") && schema.Items != nil:
			found = addUnlimited(schema, path, found)
			schema, path = schema.Items.Schema, path.Child("items")
		case elements.skip("additionalProperties") && schema.AdditionalProperties != nil:
			found = addUnlimited(schema, path, found)
			schema, path = schema.AdditionalProperties.Schema, path.Child("additionalProperties")
		default:
			return unlimitedBelow(schema, path, rule, found)
		}
	}
	return found
}

// unlimitedBelow adds what has no limit in a schema and in those below it whose names the rule has.
func unlimitedBelow(s *apiextv1.JSONSchemaProps, path *field.Path, rule string, found []unlimited) []unlimited {
	found = addUnlimited(s, path, found)
	for name, property := range s.Properties {
		if strings.Contains(rule, name) {
			found = unlimitedBelow(&property, path.Child("properties").Key(name), rule, found)
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		found = unlimitedBelow(s.Items.Schema, path.Child("items"), rule, found)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		found = unlimitedBelow(s.AdditionalProperties.Schema, path.Child("additionalProperties"), rule, found)
	}
	slices.SortFunc(found, func(a, b unlimited) int { return strings.Compare(a.path, b.path) })
	return found
}

// addUnlimited adds a schema if it is one of a list, a map or a string, and has no limit.
func addUnlimited(s *apiextv1.JSONSchemaProps, path *field.Path, found []unlimited) []unlimited {
	keyword, limit := "", func(*apiextv1.JSONSchemaProps) *int64 { return nil }
	switch {
	case s.Type == "array":
		keyword, limit = "maxItems", func(s *apiextv1.JSONSchemaProps) *int64 { return s.MaxItems }
	case s.Type == "object" && s.AdditionalProperties != nil:
		keyword, limit = "maxProperties", func(s *apiextv1.JSONSchemaProps) *int64 { return s.MaxProperties }
	case (s.Type == "string" && len(s.Enum) == 0 && !hasFixedLength(s.Format)) || s.XIntOrString:
		keyword, limit = "maxLength", func(s *apiextv1.JSONSchemaProps) *int64 { return s.MaxLength }
	}
	if keyword == "" || limit(s) != nil {
		return found
	}
	inAllOf := slices.ContainsFunc(s.AllOf, func(part apiextv1.JSONSchemaProps) bool { return limit(&part) != nil })
	return append(found, unlimited{path.String(), keyword, inAllOf})
}

// hasFixedLength reports whether the estimate knows the length of strings of a format.
func hasFixedLength(format string) bool {
	return slices.Contains([]string{"date", "date-time", "datetime", "duration"}, format)
}
