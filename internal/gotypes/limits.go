package gotypes

import (
	"reflect"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// withMergedLimits merges the limits that a field and its type both have, which controller-tools writes
// as allOf. The estimate of what rules cost does not look into allOf.
//
//	allOf: [{maxLength: 253}, {maxLength: 63}]   → maxLength: 63
func withMergedLimits(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	if len(s.AllOf) > 0 {
		mergeLimits(s)
	}
	for name, property := range s.Properties {
		s.Properties[name] = *withMergedLimits(&property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		withMergedLimits(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		withMergedLimits(s.AdditionalProperties.Schema)
	}
	return s
}

func mergeLimits(s *apiextv1.JSONSchemaProps) {
	var kept []apiextv1.JSONSchemaProps
	for _, part := range s.AllOf {
		if hasExclusive(s) || hasExclusive(&part) { // says where its limit belongs
			kept = append(kept, part)
			continue
		}
		mergeLimit(&s.MaxLength, &part.MaxLength, true)
		mergeLimit(&s.MinLength, &part.MinLength, false)
		mergeLimit(&s.MaxItems, &part.MaxItems, true)
		mergeLimit(&s.MinItems, &part.MinItems, false)
		mergeLimit(&s.MaxProperties, &part.MaxProperties, true)
		mergeLimit(&s.MinProperties, &part.MinProperties, false)
		mergeLimit(&s.Maximum, &part.Maximum, true)
		mergeLimit(&s.Minimum, &part.Minimum, false)
		if !isPattern(part, "") {
			kept = append(kept, part)
		}
	}
	pattern, kept := withoutWiderQuantity(kept)
	if s.Pattern == "" {
		s.Pattern = pattern
	}
	s.AllOf = kept
}

// mergeLimit moves a limit to another place with the same keyword, where the stricter of the two stays.
func mergeLimit[N int64 | float64](into, from **N, least bool) {
	if *from == nil {
		return
	}
	if *into == nil || least == (**from < **into) {
		*into = *from
	}
	*from = nil
}

func hasExclusive(s *apiextv1.JSONSchemaProps) bool { return s.ExclusiveMaximum || s.ExclusiveMinimum }

// kubernetesQuantity is the pattern of resource.Quantity in every CRD. Go does not decode all that it
// matches.
const kubernetesQuantity = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// withoutWiderQuantity leaves out kubernetesQuantity beside the pattern of what Go decodes, and returns
// a pattern that is alone then as that of the schema.
func withoutWiderQuantity(parts []apiextv1.JSONSchemaProps) (pattern string, kept []apiextv1.JSONSchemaProps) {
	if !slices.ContainsFunc(parts, func(p apiextv1.JSONSchemaProps) bool { return isPattern(p, spec.QuantityPattern) }) {
		return "", parts
	}
	kept = slices.DeleteFunc(parts, func(p apiextv1.JSONSchemaProps) bool { return isPattern(p, kubernetesQuantity) })
	if len(kept) == 1 {
		return spec.QuantityPattern, nil
	}
	return "", kept
}

func isPattern(s apiextv1.JSONSchemaProps, pattern string) bool {
	return reflect.DeepEqual(s, apiextv1.JSONSchemaProps{Pattern: pattern})
}
