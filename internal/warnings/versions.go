package warnings

import (
	"maps"
	"slices"
	"strconv"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkVersions warns of versions that nobody can use, and of those between which objects lose fields.
func (w *warner) checkVersions() {
	all := w.crd.Spec.Versions
	if !slices.ContainsFunc(all, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Served }) {
		w.addAtKey(spec.WarnServed, "versions", "has no version that is served, so that nobody can use the kind", "leave out served: false")
	}
	w.checkLostFields()
}

// checkLostFields warns of versions between which objects lose fields.
func (w *warner) checkLostFields() {
	all := w.crd.Spec.Versions
	stored := slices.IndexFunc(all, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if c := w.crd.Spec.Conversion; stored < 0 || c != nil && c.Strategy == apiextv1.WebhookConverter {
		return
	}
	for i, v := range all {
		if i == stored || !v.Served {
			continue
		}
		w.addLostFields(i, stored, "what is written to it is dropped")
		if all[stored].Served {
			w.addLostFields(stored, i, "writing the object in that version drops it")
		}
	}
}

// addLostFields warns of the first field that one version has and another lacks. Without
// conversion, the API server only changes the apiVersion of an object, and drops the fields that
// the version lacks.
func (w *warner) addLostFields(from, to int, effect string) {
	all := w.crd.Spec.Versions
	path := missingField(all[from].Schema.OpenAPIV3Schema, all[to].Schema.OpenAPIV3Schema, schemaPath(from))
	if path == nil {
		return
	}
	w.addAt(spec.WarnVersions, path, "is not in version "+strconv.Quote(all[to].Name)+", and nothing converts between them: "+effect,
		"add it there, or write a conversion: the methods Hub, ConvertTo and ConvertFrom of the Go types")
}

// missingField returns the path of the first field of a schema that another schema drops, and nil
// if it keeps all.
func missingField(s, other *apiextv1.JSONSchemaProps, path *field.Path) *field.Path {
	if other.XPreserveUnknownFields != nil || other.AdditionalProperties != nil && other.AdditionalProperties.Schema == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, below := s.Properties[name], path.Child("properties").Key(name)
		same, found := other.Properties[name]
		if !found {
			if other.AdditionalProperties != nil {
				continue
			}
			return below
		}
		if at := missingField(&p, &same, below); at != nil {
			return at
		}
	}
	if s.Items != nil && s.Items.Schema != nil && other.Items != nil && other.Items.Schema != nil {
		return missingField(s.Items.Schema, other.Items.Schema, path.Child("items"))
	}
	values, others := s.AdditionalProperties, other.AdditionalProperties
	if values != nil && values.Schema != nil && others != nil && others.Schema != nil {
		return missingField(values.Schema, others.Schema, path.Child("additionalProperties"))
	}
	return nil
}
