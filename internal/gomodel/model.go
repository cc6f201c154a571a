package gomodel

import (
	"cmp"
	"path"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Package is the Go package of one group version: everything that the files of api/<version> are
// rendered from.
type Package struct {
	Name       string // of the package, such as v1alpha1
	Dir        string // from the project's root, such as api/v1alpha1
	ImportPath string
	Alias      string // what other packages import it as, such as demov1alpha1
	Group      string
	Version    string
	Clients    bool     // the project has typed clients of the package
	Kinds      []Kind   // in the order of the spec files
	Types      []Type   // in the order they are written
	Imports    []Import // of the types, sorted by path
	// Registration is what hand-written files of the package register; empty where opgen has all
	// types.
	Registration Registration
}

// Kind is a kind of a package, by the Go names of its types.
type Kind struct {
	API    *spec.API
	Name   string // EchoServer
	List   string // EchoServerList
	Spec   string // EchoServerSpec; empty: the kind has no spec
	Status string // EchoServerStatus; empty: the kind has no status
	// GoTypes says that the types are the author's, and none of the Types of the package. Authored
	// is what is known of them, nil before they are read.
	GoTypes  bool
	Authored *spec.Authored
	// ClientMarkers are those that the generators of typed clients are to read, of a kind with
	// GoTypes in a project with clients: its author need not have written any.
	ClientMarkers []string
}

// Renamed reports whether the kind or its list is called otherwise in Go than in Kubernetes.
func (k Kind) Renamed() bool { return k.Name != k.API.Names.Kind || k.List != k.ListKind() }

// ListKind returns what Kubernetes calls the list.
func (k Kind) ListKind() string {
	if k.API.Names.ListKind == "" {
		return k.API.Names.Kind + "List"
	}
	return k.API.Names.ListKind
}

// Import is a package that generated Go code uses.
type Import struct {
	Alias string // empty: the package's own name
	Path  string
}

// Type is a type declaration: a struct with Fields, or a name for the type Of.
type Type struct {
	Name      string
	Doc       []string // lines of the doc comment
	Markers   []string // lines that controller-gen reads, such as +kubebuilder:subresource:status
	Fields    []Field  // of a struct
	Of        *GoType  // nil: a struct
	Constants []Constant
	Object    bool   // has DeepCopyObject: a kind or a list of it
	Unknown   string // the field with what the schema does not name and yet keeps; empty: nothing is kept
	Nulls     string // the field that tells which of Nullable are null, and not absent; empty: none can be null
	Nullable  []string
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
	Value string
}

// GoType is a Go type as a field has it. A pointer, list or map has an Elem; everything else has a
// Name.
type GoType struct {
	Shape   Shape
	Elem    *GoType
	Name    string // int32, EchoServerMode, ResourceRequirements
	Package string // import path of Name; empty: predeclared, or declared in this package
	// PackageName is what the package calls itself, empty for what its path ends with; alias is
	// what it is imported as.
	PackageName, alias string

	// How a value of Name is copied deeply: Form and Copy are its own, ElemCopy is that of the
	// elements when it is a map or slice of Kubernetes, and Of is what it stands for when it is one
	// of this package.
	Form     kubetypes.Form
	Copy     kubetypes.Copy
	ElemCopy kubetypes.Copy
	Of       *GoType
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

// String returns the type as Go source, with the import aliases of Import.
func (t *GoType) String() string {
	switch t.Shape {
	case Pointer:
		return "*" + t.Elem.String()
	case List:
		return "[]" + t.Elem.String()
	case Map:
		return "map[string]" + t.Elem.String()
	}
	if t.Package == "" {
		return t.Name
	}
	return cmp.Or(t.alias, t.PackageName, path.Base(t.Package)) + "." + t.Name
}
