package crdgen

import "github.com/opgen-dev/opgen/internal/spec"

// Package is the Go package of one group version: everything that the files of api/<version> are rendered from.
type Package struct {
	Name       string // of the package, such as v1alpha1
	Dir        string // from the project's root, such as api/v1alpha1
	ImportPath string
	Alias      string // what other packages import it as, such as demov1alpha1
	Group      string
	Version    string
	Kinds      []Kind   // in the order of the spec files
	Types      []Type   // in the order they are written
	Imports    []Import // of the types, sorted by path
}

// Kind is a kind of a package, by the Go names of its types.
type Kind struct {
	API    *spec.API
	Name   string // EchoServer
	List   string // EchoServerList
	Spec   string // EchoServerSpec; empty: the kind has no spec
	Status string // EchoServerStatus; empty: the kind has no status
}

// Import is a package that generated Go code uses.
type Import struct {
	Alias string // empty: the package's own name
	Path  string
}

// Form is the shape of a declared type.
type Form string

// The forms of a declared type.
const (
	Struct Form = "struct"
	Named  Form = "named" // a name for a scalar, a list or a map
)

// Type is a type declaration.
type Type struct {
	Name      string
	Doc       []string // lines of the doc comment
	Markers   []string // lines that controller-gen reads, such as +kubebuilder:subresource:status
	Form      Form
	Fields    []Field    // of a struct
	Of        *GoType    // of a named type
	Constants []Constant // of an enum
	Object    bool       // has DeepCopyObject: a kind or a list of it
}

// Field is a field of a struct.
type Field struct {
	Name    string // empty: embedded
	Doc     []string
	Markers []string
	Type    *GoType
	Tag     string // the value of the json key, such as replicas,omitempty
}

// Constant is one value of an enum.
type Constant struct {
	Name  string
	Value string // as Go source
}

// GoType is a Go type as a field has it. Exactly one of its shapes is set: a pointer, list or map has Elem, and
// everything else is a Name.
type GoType struct {
	Shape   Shape
	Elem    *GoType
	Name    string // int32, EchoServerMode, ResourceRequirements
	Package string // import path of Name; empty: predeclared, or declared in this package
	Copy    Copy   // how a value of Name is copied deeply
}

// Shape is the outermost part of a Go type.
type Shape string

// The shapes of a Go type.
const (
	Name    Shape = "name"
	Pointer Shape = "pointer"
	List    Shape = "list"
	Map     Shape = "map" // with string keys
)

// Copy is how a named type is copied deeply.
type Copy string

// The ways to copy a named type.
const (
	CopyPlain  Copy = "plain"  // a basic type: assigned along with the struct it is in
	CopyStruct Copy = "struct" // a struct without references and without a method of its own: assigned
	CopyMethod Copy = "method" // a struct: DeepCopyInto
	CopyRef    Copy = "ref"    // a map or a list with DeepCopy
)
