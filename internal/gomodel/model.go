package gomodel

import (
	"cmp"
	"path"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Package is the Go package of one group version, from which the files of api/<version> are
// rendered.
type Package struct {
	Name       string // of the package, such as v1alpha1
	Dir        string // relative to the project, such as api/v1alpha1
	ImportPath string
	Group      string
	Version    string
	Clients    bool     // the project has typed clients of the package
	Kinds      []Kind   // in the order of the spec files
	Types      []Type   // in the order they are written
	Imports    []Import // of the types, sorted by path
	// Registration is what hand-written files of the package register. It is empty if opgen
	// generates all types.
	Registration Registration
}

// Kind is a kind of a package, with the Go names of its types.
type Kind struct {
	API    *spec.API
	Name   string // EchoServer
	List   string // EchoServerList
	Spec   string // EchoServerSpec; empty: the kind has no spec
	Status string // EchoServerStatus; empty: the kind has no status
	// GoTypes means that an author owns the types, so that Types lacks them. Authored is what opgen
	// has read of them, nil before that.
	GoTypes  bool
	Authored *spec.Authored
	// ClientMarkers are the markers for the generators of typed clients, of a kind with GoTypes.
	// They are separate because the author need not have written them.
	ClientMarkers []string
}

// Renamed reports whether the kind or its list has another name in Go than in Kubernetes.
func (k Kind) Renamed() bool { return k.Name != k.API.Names.Kind || k.List != k.ListKind() }

// ListKind returns the name of the list in Kubernetes.
func (k Kind) ListKind() string {
	if k.API.Names.ListKind == "" {
		return k.API.Names.Kind + "List"
	}
	return k.API.Names.ListKind
}

// Import is a package that generated Go code uses.
type Import struct {
	Alias string // empty: the name of the package
	Path  string
}

// Type is a type declaration: a struct with Fields, or otherwise a type declared as Of.
type Type struct {
	Name      string
	Doc       []string // lines of the doc comment
	Markers   []string // lines such as +kubebuilder:subresource:status
	Fields    []Field  // of a struct
	Of        *GoType  // nil: a struct
	Constants []Constant
	Object    bool   // a kind or its list, which needs DeepCopyObject
	Unknown   string // the field for what the schema does not name but keeps; empty: it keeps nothing
	Nulls     string // the field that says which of Nullable are null and not absent; empty: none can be null
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

// GoType is the Go type of a field. A pointer, list or map has an Elem; all other types have a
// Name.
type GoType struct {
	Shape   Shape
	Elem    *GoType
	Name    string // int32, EchoServerMode, ResourceRequirements
	Package string // import path of Name; empty: predeclared, or declared in this package
	// PackageName is the name that the package declares, empty if its path ends with it. alias is
	// the name that it is imported by.
	PackageName, alias string

	// Form and Copy say how a value of the type Name is copied. For a map or slice of Kubernetes,
	// ElemCopy says how its elements are; for a type of this package, Of is what it is declared as.
	Form     kubetypes.Form
	Copy     kubetypes.Copy
	ElemCopy kubetypes.Copy
	Of       *GoType
}

// Shape is the outermost part of a Go type: a name, a pointer, a list or a map.
type Shape string

// The shapes of a Go type.
const (
	Name    Shape = "name"
	Pointer Shape = "pointer"
	List    Shape = "list"
	Map     Shape = "map" // with string keys
)

// String returns the type as Go source. It uses the aliases of Import.
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

// HasTypes reports whether opgen generates types of the package.
func (p Package) HasTypes() bool { return len(p.Types) > 0 }
