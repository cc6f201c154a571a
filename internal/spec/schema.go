package spec

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// The Kubernetes types for which the shorthand has words (time, duration, quantity, intOrString),
// and TypeCondition for the standard status.
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
	// At has the position of each keyword in the file, in either form, and of the values inside:
	// default, enum[2], required[0], x-kubernetes-validations[0].rule,
	// allOf[1].properties.name.pattern.
	At         map[string]Pos
	Keywords   apiextv1.JSONSchemaProps
	Properties []Property // in the order of the file
	Items      *Schema
	// AdditionalProperties is the schema of a map's values; AdditionalPropertiesAllowed is its
	// boolean form.
	AdditionalProperties        *Schema
	AdditionalPropertiesAllowed *bool
	// Type is a Kubernetes type, such as core/v1.ResourceRequirements, or a Go type by its import
	// path. The node has the schema of the type, with the keywords of the node over it, such as a
	// description or a limit. The schema of a Go type is known when Go is set.
	Type string
	Go   *GoType
	// Use is the named type that the node uses, or nil. The keywords of the node are laid over its
	// schema, too. A node has either Type or Use.
	Use *NamedType
	// GoConstants are the names of Go constants that the file sets for values of an enum, by value.
	GoConstants map[string]string
	// Foreign is the import path of a package outside of the project, for nodes that come from a Go
	// type of it. It is empty for the project's own types.
	Foreign string
}

// Property is a named field of an object.
type Property struct {
	Pos    Pos // of the name
	Name   string
	GoName string // of the field: made from Name unless the file sets it
	Schema *Schema
}

// NamedType is a schema under types, which other schemas can use by its name.
type NamedType struct {
	Pos    Pos    // of the name
	Name   string // an exported Go identifier: the Go type's name too, unless the file sets GoName
	GoName string
	Schema *Schema
}

// SharedTypes is a file of kind Types, whose types all APIs of a project can use.
type SharedTypes struct {
	File  string
	Types []*NamedType // in the order of the file
}

// Declared returns the node that declares the schema: the node itself, or that of the named type
// that it uses, directly or through other named types.
func (s *Schema) Declared() *Schema {
	for s.Use != nil {
		s = s.Use.Schema
	}
	return s
}

// typeText returns the type of a node for messages.
func (s *Schema) typeText() string {
	if s.Use != nil {
		return "the type " + s.Use.Name
	}
	if isGoType(s.Type) {
		return "the Go type " + s.Type
	}
	return "the Kubernetes type " + s.Type
}
