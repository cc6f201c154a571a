package spec

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
