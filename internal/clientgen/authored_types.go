package clientgen

import (
	gotypes "go/types"
	"strings"

	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2/types"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// authoredTypes adds to the universe the types that an author has written in Go, as the generators
// would have parsed them.
type authoredTypes struct {
	universe
	groups   []group
	authored map[string]*packages.Package // by import path
	modelled map[types.Name]bool          // added from the model of gomodel
	external map[types.Name]string        // types of Kubernetes with apply configurations
	comments comments
}

func newAuthoredTypes(u universe, groups []group, authored map[string]*packages.Package) *authoredTypes {
	s := &authoredTypes{
		universe: u, groups: groups, authored: authored,
		modelled: map[types.Name]bool{}, external: externalApplyPackages(), comments: commentsOf(authored),
	}
	for _, g := range groups {
		for _, v := range g.versions {
			for _, declared := range v.Types {
				s.modelled[types.Name{Package: v.path, Name: declared.Name}] = true
			}
		}
	}
	return s
}

// addTypes adds the types of all packages of authors.
func (s *authoredTypes) addTypes() {
	for _, g := range s.groups {
		for _, v := range g.versions {
			if pkg := s.authored[v.ImportPath]; pkg != nil {
				s.addPackage(v, pkg)
			}
		}
	}
}

func (s *authoredTypes) addPackage(v version, pkg *packages.Package) {
	scope := pkg.Types.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*gotypes.TypeName)
		if !ok || declared.IsAlias() || s.modelled[types.Name{Package: v.path, Name: name}] {
			continue
		}
		t := s.typeOf(declared.Type())
		second, doc := s.comments.above(declared.Pos())
		// Only the kinds of API files have clients, and ClientMarkers has their markers. The
		// comments of other types must not make clients.
		t.SecondClosestCommentLines, t.CommentLines = gomodel.WithoutClientMarkers(second), gomodel.WithoutClientMarkers(doc)
		for _, k := range v.Kinds {
			if k.Name == name {
				t.SecondClosestCommentLines = append(t.SecondClosestCommentLines, k.ClientMarkers...)
			}
		}
	}
}

// typeOf adds a type and all types that it consists of, and returns it.
func (s *authoredTypes) typeOf(in gotypes.Type) *types.Type {
	in = gotypes.Unalias(in)
	out := s.Type(s.nameOf(in))
	if out.Kind != types.Unknown || s.modelled[out.Name] {
		return out
	}
	if _, named := in.(*gotypes.Named); !named {
		s.fillType(out, in)
		return out
	}
	switch under := in.Underlying().(type) {
	case *gotypes.Basic, *gotypes.Map, *gotypes.Slice:
		out.Kind = types.Alias
		out.Underlying = s.typeOf(under)
	default: // the name of another type
		s.fillType(out, under)
	}
	return out
}

// fillType adds what a type consists of.
func (s *authoredTypes) fillType(out *types.Type, in gotypes.Type) {
	switch t := in.(type) {
	case *gotypes.Pointer:
		out.Kind = types.Pointer
		out.Elem = s.typeOf(t.Elem())
	case *gotypes.Slice:
		out.Kind = types.Slice
		out.Elem = s.typeOf(t.Elem())
	case *gotypes.Array:
		out.Kind, out.Len = types.Array, t.Len()
		out.Elem = s.typeOf(t.Elem())
	case *gotypes.Map:
		out.Kind = types.Map
		out.Key, out.Elem = s.typeOf(t.Key()), s.typeOf(t.Elem())
	case *gotypes.Struct:
		out.Kind = types.Struct
		if !s.hasConfiguration(out.Name) {
			return // an embedded field has no With function, which would need an apply configuration
		}
		for i := range t.NumFields() {
			out.Members = append(out.Members, s.memberOf(t.Field(i), t.Tag(i)))
		}
	case *gotypes.Interface:
		out.Kind = types.Interface
	default: // not possible in an object of Kubernetes
		out.Kind = types.Unsupported
	}
}

// hasConfiguration reports whether a struct has an apply configuration, in client-go or in client/.
func (s *authoredTypes) hasConfiguration(name types.Name) bool {
	_, known := s.external[name]
	return known || strings.HasPrefix(name.Package, standIn)
}

func (s *authoredTypes) memberOf(f *gotypes.Var, tag string) types.Member {
	_, doc := s.comments.above(f.Pos())
	return types.Member{Name: f.Name(), Embedded: f.Embedded(), Tags: tag, Type: s.typeOf(f.Type()), CommentLines: doc}
}

// nameOf returns the name of a type: its package and name, or its syntax if it has no name.
func (s *authoredTypes) nameOf(in gotypes.Type) types.Name {
	switch t := in.(type) {
	case *gotypes.Basic:
		return types.Name{Name: t.Name()}
	case *gotypes.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && t.TypeArgs().Len() == 0 {
			return types.Name{Package: s.importPathOf(pkg), Name: t.Obj().Name()}
		}
	}
	return types.Name{Name: gotypes.TypeString(in, s.importPathOf)}
}

// importPathOf returns the path by which the generators know a package: its stand-in if it has one.
func (s *authoredTypes) importPathOf(pkg *gotypes.Package) string {
	if standIn, own := s.standIns[pkg.Path()]; own {
		return standIn
	}
	return pkg.Path()
}
