package crdgen

import (
	"cmp"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// unsaid notes that no marker can say something.
func (b *packageBuilder) unsaid(path, what string) {
	b.pkg.Unsaid = append(b.pkg.Unsaid, Unsaid{Path: path, What: what})
}

// unsaidOfKind notes what the markers of a kind leave out.
func (b *packageBuilder) unsaidOfKind(k Kind, v *spec.Version) {
	if k.API.Names.Kind != k.Name {
		b.unsaid(k.Name, "kind")
	}
	if k.API.Names.ListKind != k.API.Names.Kind+"List" {
		b.unsaid(k.Name, "listKind")
	}
	if !slices.ContainsFunc(k.API.Versions, func(v spec.Version) bool { return v.Served }) {
		b.unsaid(k.Name, "served")
	}
	if len(k.API.Labels) > 0 {
		b.unsaid(k.Name, "labels")
	}
	if k.API.Names.Singular == "" {
		b.unsaid(k.Name, "singular")
	}
	if v.Root != nil || !v.StandardRoot {
		b.unsaid(k.Name, "schema")
	}
	if v.Subresources.Listed {
		b.unsaid(k.Name, "subresources")
	}
}

// noteUnsaid notes what the markers of a node leave out.
func (b *packageBuilder) noteUnsaid(n node) {
	s, k := n.schema, &n.schema.Keywords
	for what, left := range map[string]bool{
		"allOf": len(k.AllOf) > 0, "oneOf": len(k.OneOf) > 0, "not": k.Not != nil,
		"anyOf":                      s.Type == "" && s.Use == nil && k.XIntOrString != isIntOrString(k.AnyOf) || !k.XIntOrString && len(k.AnyOf) > 0,
		"additionalProperties: true": s.AdditionalPropertiesAllowed != nil,
		"enum":                       slices.ContainsFunc(k.Enum, unsayable),
		"example":                    k.Example != nil && (unsayable(*k.Example) || n.element),
		"default":                    k.Default != nil && (n.element || string(k.Default.Raw) == "null"),
		"properties":                 s.Properties != nil && len(s.Properties) == 0,
		"required":                   repeats(k.Required),
		"nullable":                   k.Nullable && n.element,
		"title":                      k.Title != "" && n.element,
		"externalDocs":               k.ExternalDocs != nil && n.element,
		"pattern":                    k.Pattern != "" && hasPattern(s),
		"type":                       k.Type == "" && isStruct(s) || k.Type != "" && k.XIntOrString,
		"minProperties":              k.MinProperties != nil && limitsUnknown(s),
		"maxProperties":              k.MaxProperties != nil && limitsUnknown(s),
	} {
		if left {
			b.unsaid(n.path, what)
		}
	}
	for _, keyword := range misplaced(jsonType(s), k) {
		b.unsaid(n.path, keyword)
	}
	for _, name := range k.Required {
		if property(s, name) == nil {
			b.unsaid(n.path, "required "+name+", which is no property")
		}
	}
}

// repeats tells whether a list of names has one twice.
func repeats(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// misplaced returns the limits that do not fit the type of a node: they are legal, and mean nothing or
// only something for some of its values, but controller-gen refuses their markers.
func misplaced(jsonType string, k *apiextv1.JSONSchemaProps) []string {
	if jsonType == intOrString {
		jsonType = "string"
	}
	var found []string
	for _, limit := range spec.LimitKeywords() {
		if limit.IsSet(k) && !slices.Contains(limit.Types, jsonType) {
			found = append(found, limit.Name)
		}
	}
	return found
}

// sorted returns what is unsaid in the order of paths, each once.
func sorted(all []Unsaid) []Unsaid {
	slices.SortFunc(all, func(x, y Unsaid) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.What, y.What))
	})
	return slices.Compact(all)
}

// isIntOrString tells whether a list of alternatives is the one that controller-gen gives every IntOrString.
func isIntOrString(anyOf []apiextv1.JSONSchemaProps) bool {
	return len(anyOf) == 2 && anyOf[0].Type == "integer" && anyOf[1].Type == "string"
}

func unsayable(value apiextv1.JSON) bool { return !isScalar(value.Raw) }

// hasPattern tells whether a type has a pattern already: controller-gen would demand both.
func hasPattern(s *spec.Schema) bool {
	t, found := outline(s)
	return found && t.Schema.Pattern != ""
}
