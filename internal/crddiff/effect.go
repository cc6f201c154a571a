package crddiff

import (
	"slices"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

// effectOfLostField returns what happens to a field that an object of ours does not name.
func effectOfLostField(object *props) Effect {
	if keepsUnknownFields(object) || object.AdditionalProperties != nil {
		return NoEffect
	}
	return Lost
}

func keepsUnknownFields(s *props) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// effectOfKeyword returns what another value of a keyword means for objects that exist.
func effectOfKeyword(name string, ours, theirs *props) Effect {
	switch name {
	case "x-kubernetes-preserve-unknown-fields":
		return effectIf(keepsUnknownFields(theirs), Lost)
	case "additionalProperties":
		return effectIf(theirs.AdditionalProperties != nil && ours.AdditionalProperties == nil && !keepsUnknownFields(ours), Lost)
	case "items":
		return effectIf(ours.Items != nil, Refused)
	}
	return effectIf(isTightened(name, ours, theirs), Refused)
}

func effectIf(condition bool, effect Effect) Effect {
	if condition {
		return effect
	}
	return NoEffect
}

// isTightened reports whether ours may refuse by a keyword what theirs accepts.
func isTightened(name string, ours, theirs *props) bool {
	switch name {
	case "maximum":
		return isLower(ours.Maximum, theirs.Maximum)
	case "maxLength":
		return isLower(ours.MaxLength, theirs.MaxLength)
	case "maxItems":
		return isLower(ours.MaxItems, theirs.MaxItems)
	case "maxProperties":
		return isLower(ours.MaxProperties, theirs.MaxProperties)
	case "minimum":
		return isHigher(ours.Minimum, theirs.Minimum)
	case "minLength":
		return isHigher(ours.MinLength, theirs.MinLength)
	case "minItems":
		return isHigher(ours.MinItems, theirs.MinItems)
	case "minProperties":
		return isHigher(ours.MinProperties, theirs.MinProperties)
	case "exclusiveMinimum":
		return ours.ExclusiveMinimum
	case "exclusiveMaximum":
		return ours.ExclusiveMaximum
	case "multipleOf":
		return ours.MultipleOf != nil
	case "pattern":
		return ours.Pattern != ""
	case "format":
		return crdgen.ChecksFormat(ours.Format)
	case "enum":
		return len(ours.Enum) > 0 && !isSuperset(ours, theirs)
	case "type":
		return ours.Type != "" && (ours.Type != "number" || theirs.Type != "integer")
	case "nullable":
		return theirs.Nullable
	case "x-kubernetes-int-or-string":
		return theirs.XIntOrString
	case "x-kubernetes-embedded-resource":
		return ours.XEmbeddedResource
	case "x-kubernetes-list-type", "x-kubernetes-list-map-keys":
		return ours.XListType != nil && *ours.XListType != "atomic"
	case "allOf":
		return len(ours.AllOf) > 0
	case "anyOf":
		return len(ours.AnyOf) > 0
	case "oneOf":
		return len(ours.OneOf) > 0
	case "not":
		return ours.Not != nil
	}
	return false // such as default, title and example
}

type number interface{ ~int64 | ~float64 }

func isLower[N number](ours, theirs *N) bool {
	return ours != nil && (theirs == nil || *ours < *theirs)
}

func isHigher[N number](ours, theirs *N) bool {
	return ours != nil && (theirs == nil || *ours > *theirs)
}

// isSuperset reports whether the enum of ours has all values of that of theirs.
func isSuperset(ours, theirs *props) bool {
	if len(theirs.Enum) == 0 {
		return false
	}
	var known []string
	for _, value := range ours.Enum {
		known = append(known, jsonText(plainValue(value)))
	}
	for _, value := range theirs.Enum {
		if !slices.Contains(known, jsonText(plainValue(value))) {
			return false
		}
	}
	return true
}
