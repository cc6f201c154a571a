package spec

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// The Kubernetes types that the shorthand has words for: time, duration, quantity, intOrString.
// They are named by package like every other; resource and intstr are packages without a version.
// TypeCondition is what the standard status lists.
const (
	TypeTime        = "meta/v1.Time"
	TypeMicroTime   = "meta/v1.MicroTime"
	TypeDuration    = "meta/v1.Duration"
	TypeQuantity    = "resource.Quantity"
	TypeIntOrString = "intstr.IntOrString"
	TypeCondition   = "meta/v1.Condition"
)

// Schema is one node of an OpenAPI v3 schema, however the file writes it: in the shorthand, as
// plain OpenAPI, or as a Kubernetes type or one of the file's own types by name.
//
// Keywords holds what the node itself says (type, format, limits, enum, default, title, CEL rules,
// the x-kubernetes-* extensions, and the value-validation trees allOf, anyOf, oneOf and not as they
// stand). The nodes below it are fields of their own, so that they keep their order and their
// positions: Keywords' Properties, Items and AdditionalProperties are always empty.
type Schema struct {
	Pos Pos
	// At has the position of each keyword that the file sets, in whichever form, and of what is
	// inside of it: default, enum[2], required[0], x-kubernetes-validations[0].rule,
	// allOf[1].properties.name.pattern.
	At         map[string]Pos
	Keywords   apiextv1.JSONSchemaProps
	Properties []Property // in the order of the file
	Items      *Schema
	// AdditionalProperties is the schema of a map's values; AdditionalPropertiesAllowed is its
	// boolean form.
	AdditionalProperties        *Schema
	AdditionalPropertiesAllowed *bool
	// Type names a Kubernetes type, such as core/v1.ResourceRequirements, whose schema this node
	// has; keywords that are set beside it (description, default, limits, CEL rules) are laid over
	// it. Or it names any other Go type by its import path, whose schema is known once Go is set.
	Type string
	Go   *GoType
	// Use is the named type whose schema this node has, nil for none; keywords that are set beside
	// it are laid over that schema in the same way. Type and Use are never set together.
	Use *NamedType
	// GoConstants has the names of the Go constants of an enum's values where the file sets them,
	// by value.
	GoConstants map[string]string
	// Foreign marks what is below a Go type that the author of the API does not own.
	Foreign bool
}

// Property is a named field of an object.
type Property struct {
	Pos    Pos // of the name
	Name   string
	GoName string // of the field: made from Name unless the file sets it
	Schema *Schema
}

// NamedType is a schema that a file names once under types, to be used by its name wherever a
// schema may stand.
type NamedType struct {
	Pos    Pos    // of the name
	Name   string // an exported Go identifier: the Go type's name too, unless the file sets GoName
	GoName string
	Schema *Schema
}

// SharedTypes is a file of kind Types: schemas that all APIs of a project can use by name.
type SharedTypes struct {
	File  string
	Types []*NamedType // in the order of the file
}

// Declared returns the node that says what this one is: itself, or what the named type that it uses
// declares. What this node says beside the name is laid over that.
func (s *Schema) Declared() *Schema {
	for s.Use != nil {
		s = s.Use.Schema
	}
	return s
}

// typeText names what a node with a type by name has, for messages.
func (s *Schema) typeText() string {
	if s.Use != nil {
		return "the type " + s.Use.Name
	}
	if isGoType(s.Type) {
		return "the Go type " + s.Type
	}
	return "the Kubernetes type " + s.Type
}
