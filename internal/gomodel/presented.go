package gomodel

import (
	"bytes"
	"regexp"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// fieldTypeAndTag returns the type of a field for a value of type t, and the options of its JSON
// tag. A required field is always written. An optional one is a pointer, or a list or map that can
// be nil, only where absent and zero differ. docs/decisions/0003-go-types.md has the rule and its
// reasons.
func fieldTypeAndTag(t *GoType, n node, required bool) (*GoType, string) {
	full := crdgen.FullSchema(n.schema)
	pointer := &GoType{Shape: Pointer, Elem: t}
	switch {
	case required && full.Nullable && !t.isReference():
		return pointer, ""
	case required:
		return t, ""
	case t.isReference() && isEmptyAllowed(full):
		return t, ",omitzero" // an empty list is written
	case t.isReference():
		return t, ",omitempty"
	case t.Form == kubetypes.Struct || full.Nullable:
		return pointer, ",omitempty"
	case !isZeroAllowed(full):
		return t, ",omitempty" // zero is not valid, so it means absent
	case full.Default != nil && isZero(full.Default.Raw), full.Default == nil && n.status && !n.hasCrossFieldRules:
		return t, "" // zero means the same as absent
	default:
		return pointer, ",omitempty"
	}
}

// isReference reports whether a type that is not a pointer can be nil.
func (t *GoType) isReference() bool {
	return t.Shape == List || t.Shape == Map || t.Form == kubetypes.Map || t.Form == kubetypes.Slice
}

// orReference returns a type that can be nil: the type itself, or a pointer to it.
func (t *GoType) orReference() *GoType {
	if t.Shape == Pointer || t.isReference() || t.acceptsNull() {
		return t
	}
	return &GoType{Shape: Pointer, Elem: t}
}

// acceptsNull reports whether a type can store any JSON value, including null.
func (t *GoType) acceptsNull() bool {
	return t.Shape == Name && t.Package != "" && (t.Name == "JSON" || t.Name == "RawExtension")
}

// isEmptyAllowed reports whether an empty list, map or []byte is valid.
func isEmptyAllowed(s apiextv1.JSONSchemaProps) bool {
	least, _ := spec.SizeLimits(&s)
	return least == nil || *least <= 0
}

// hasOwnCrossFieldRules reports whether a node or its named type has rules about several fields.
func hasOwnCrossFieldRules(s *spec.Schema) bool {
	return crdgen.HasCrossFieldRules(&s.Keywords) || s.Use != nil && hasOwnCrossFieldRules(s.Use.Schema)
}

func isZero(raw []byte) bool {
	switch string(bytes.TrimSpace(raw)) {
	case `""`, "0", "0.0", "false", "null":
		return true
	}
	return false
}

// isZeroAllowed reports whether the zero value of a scalar is valid.
func isZeroAllowed(s apiextv1.JSONSchemaProps) bool {
	if len(s.Enum) > 0 {
		for _, value := range s.Enum {
			if isZero(value.Raw) {
				return true
			}
		}
		return false
	}
	switch s.Type {
	case "string":
		if !isEmptyAllowed(s) {
			return false
		}
		if crdgen.ChecksFormat(s.Format) && s.Format != "byte" && s.Format != "password" {
			return false
		}
		pattern, err := regexp.Compile(s.Pattern)
		return err == nil && pattern.MatchString("")
	case "integer", "number":
		low, high := s.Minimum, s.Maximum
		return !(low != nil && (*low > 0 || s.ExclusiveMinimum && *low == 0)) &&
			!(high != nil && (*high < 0 || s.ExclusiveMaximum && *high == 0))
	}
	return true
}
