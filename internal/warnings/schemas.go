package warnings

import (
	"maps"
	"slices"
	"strconv"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkSchemas warns of single fields in every version.
func (w *warner) checkSchemas() {
	for i, v := range w.crd.Spec.Versions {
		w.checkSchema(v.Schema.OpenAPIV3Schema, schemaPath(i), nil)
	}
}

func schemaPath(version int) *field.Path {
	return field.NewPath("spec", "versions").Index(version).Child("schema", "openAPIV3Schema")
}

// checkSchema warns of a schema and of those below it. If it is an item of a list map, keys are the
// names of the fields that identify the item.
func (w *warner) checkSchema(s *apiextv1.JSONSchemaProps, path *field.Path, keys []string) {
	if s.Type == "number" {
		w.addAt(spec.WarnFloats, path, "is a floating point number, which not every client reads and writes alike",
			"use an integer of a smaller unit, or quantity")
	}
	w.checkRequired(s, path, keys)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, below := s.Properties[name], path.Child("properties").Key(name)
		w.checkFieldName(name, below)
		w.checkSchema(&p, below, nil)
	}
	if s.Items != nil && s.Items.Schema != nil {
		w.checkSchema(s.Items.Schema, path.Child("items"), s.XListMapKeys)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		w.checkSchema(s.AdditionalProperties.Schema, path.Child("additionalProperties"), nil)
	}
}

// checkRequired warns of required fields that do not exist, and of required fields with a default,
// which are never missing.
func (w *warner) checkRequired(s *apiextv1.JSONSchemaProps, path *field.Path, keys []string) {
	open := s.AdditionalProperties != nil || s.XPreserveUnknownFields != nil || s.XEmbeddedResource
	for i, name := range s.Required {
		p, declared := s.Properties[name]
		switch at := path.Child("required").Index(i); {
		case !declared && !open:
			w.addAt(spec.WarnRequired, at, "requires "+strconv.Quote(name)+", which is not declared: unknown fields are dropped, so that no object is valid",
				"declare it under properties, or leave it out of required")
		case declared && p.Default != nil && !slices.Contains(keys, name):
			w.addAt(spec.WarnRequired, path.Child("properties").Key(name).Child("default"), "is the default of a field that is required: the field may be left out after all",
				"leave out one of them")
		}
	}
}

// checkFieldName warns of letters that look like ASCII ones, and of others that not every keyboard
// has.
func (w *warner) checkFieldName(name string, path *field.Path) {
	for _, r := range name {
		if r > '~' {
			w.addAt(spec.WarnNonASCII, path, "has "+strconv.QuoteRune(r)+" ("+codePoint(r)+") in its name, which may look like another letter and is hard to type",
				"use letters of ASCII")
			return
		}
	}
}

func codePoint(r rune) string { return "U+" + strconv.FormatInt(int64(r)+0x10000, 16)[1:] }
