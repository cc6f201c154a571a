package oracle

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// kindGaps returns what the markers of a kind cannot express.
func kindGaps(k gomodel.Kind, v *spec.Version) []string {
	served := slices.ContainsFunc(k.API.Versions, func(v spec.Version) bool { return v.Served })
	return trueKeys(map[string]bool{
		"kind":          k.API.Names.Kind != k.Name,
		"listKind":      k.API.Names.ListKind != k.API.Names.Kind+"List",
		"served":        !served,
		"labels":        len(k.API.Labels) > 0,
		"singular":      k.API.Names.Singular == "",
		"schema":        v.Root != nil || !v.StandardRoot,
		"maxNameLength": k.API.MaxNameLength > 0,
		"subresources":  v.Subresources.Listed,
	})
}

// addKeywords adds the keywords of a schema that markers cannot express.
func (f *finder) addKeywords(p place) {
	s, k := p.schema, &p.schema.Keywords
	gaps := trueKeys(map[string]bool{
		"allOf": len(k.AllOf) > 0, "oneOf": len(k.OneOf) > 0, "not": k.Not != nil,
		"anyOf":                      hasOwnAnyOf(s),
		"additionalProperties: true": s.AdditionalPropertiesAllowed != nil,
		"enum":                       slices.ContainsFunc(k.Enum, isComposite),
		"example":                    k.Example != nil && (isComposite(*k.Example) || p.element),
		"default":                    k.Default != nil && (p.element || string(k.Default.Raw) == "null"),
		"properties":                 s.Properties != nil && len(s.Properties) == 0,
		"required":                   hasDuplicates(k.Required),
		"nullable":                   k.Nullable && p.element,
		"title":                      k.Title != "" && p.element,
		"externalDocs":               k.ExternalDocs != nil && p.element,
		"pattern":                    k.Pattern != "" && typeHasPattern(s),
		"type":                       k.Type == "" && gomodel.IsStruct(s) || k.Type != "" && k.XIntOrString,
		"minProperties":              k.MinProperties != nil && gomodel.LimitsUnknown(s),
		"maxProperties":              k.MaxProperties != nil && gomodel.LimitsUnknown(s),
	})
	gaps = append(gaps, gomodel.MisplacedLimits(gomodel.JSONType(s), k)...)
	for _, name := range k.Required {
		if !slices.ContainsFunc(s.Properties, func(p spec.Property) bool { return p.Name == name }) {
			gaps = append(gaps, "required "+name+", which is no property")
		}
	}
	for _, what := range gaps {
		f.add(p.path, what)
	}
}

// hasOwnAnyOf reports whether a schema has alternatives other than those that controller-gen gives
// every IntOrString, or lacks these.
func hasOwnAnyOf(s *spec.Schema) bool {
	k := &s.Keywords
	ofIntOrString := len(k.AnyOf) == 2 && k.AnyOf[0].Type == "integer" && k.AnyOf[1].Type == "string"
	return s.Type == "" && s.Use == nil && k.XIntOrString != ofIntOrString || !k.XIntOrString && len(k.AnyOf) > 0
}

// hasDuplicates reports whether a list has a name twice.
func hasDuplicates(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// isComposite reports whether a value is an object, a list or null, which markers do not express.
func isComposite(value apiextv1.JSON) bool { return !gomodel.IsScalar(value.Raw) }

// typeHasPattern reports whether the type that a node names has a pattern: controller-gen requires
// both.
func typeHasPattern(s *spec.Schema) bool {
	t, found := crdgen.TypeOf(s)
	return found && t.Schema.Pattern != ""
}

func trueKeys(conditions map[string]bool) []string {
	var keys []string
	for key, holds := range conditions {
		if holds {
			keys = append(keys, key)
		}
	}
	return keys
}
