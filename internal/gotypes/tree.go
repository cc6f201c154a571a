package gotypes

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// tree turns a schema that was made from Go types into nodes that know where in the Go files they
// come from.
type tree struct {
	program *program
	pkg     *loader.Package
	info    *markers.TypeInfo
}

func (k *kindReader) newTree() tree { return tree{program: k.program, pkg: k.pkg, info: k.info} }

// place is where a part of a schema comes from.
type place struct {
	pkg     *loader.Package
	node    ast.Node  // that has the position
	expr    ast.Expr  // the Go type; nil: of no concern
	markers []comment // that say something of it
	foreign bool      // it belongs to a type of another module
	depth   int       // of embedded structs
}

func (t tree) root(s apiextv1.JSONSchemaProps) *spec.Schema {
	return t.node(s, t.ofType(place{pkg: t.pkg, node: t.info.RawSpec}, t.info))
}

// node returns a schema with all below it as nodes.
func (t tree) node(s apiextv1.JSONSchemaProps, at place) *spec.Schema {
	at = t.declared(at)
	out := &spec.Schema{Pos: t.program.positions.ofNode(at.node), At: map[string]spec.Pos{}, Keywords: s, Foreign: at.foreign}
	out.Keywords.Properties, out.Keywords.Items, out.Keywords.AdditionalProperties = nil, nil, nil
	t.program.keywordPositions(out, at.markers)
	fields := t.fields(at)
	for _, name := range t.order(s, fields) {
		below := place{pkg: at.pkg, node: at.node, foreign: true}
		goName := spec.GoName(name)
		if f, found := fields[name]; found {
			below, goName = f.place, f.name
		}
		below.depth = 0
		out.Properties = append(out.Properties, spec.Property{
			Pos: t.program.positions.ofNode(below.node), Name: name, GoName: goName, Schema: t.node(s.Properties[name], below),
		})
	}
	if s.Items != nil && s.Items.Schema != nil {
		out.Items = t.node(*s.Items.Schema, at.element())
	}
	if values := s.AdditionalProperties; values != nil {
		if values.Schema != nil {
			out.AdditionalProperties = t.node(*values.Schema, at.element())
		} else {
			out.AdditionalPropertiesAllowed = &values.Allows
		}
	}
	return out
}

// order returns the names of properties in the order of the Go fields, those of no field last.
func (t tree) order(s apiextv1.JSONSchemaProps, fields map[string]fieldPlace) []string {
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		x, inX := fields[a]
		y, inY := fields[b]
		switch {
		case inX && inY:
			return int(x.node.Pos() - y.node.Pos())
		case inX:
			return -1
		case inY:
			return 1
		}
		return 0
	})
	return names
}

// element is the place of the items of a list, or of the values of a map.
func (p place) element() place {
	below := place{pkg: p.pkg, node: p.node, foreign: p.foreign}
	switch t := p.expr.(type) {
	case *ast.ArrayType:
		below.expr = t.Elt
	case *ast.MapType:
		below.expr = t.Value
	}
	return below
}

// declared follows the name of a type to what it is declared as, with the markers of its
// declaration.
func (t tree) declared(at place) place {
	for {
		switch expr := at.expr.(type) {
		case *ast.StarExpr:
			at.expr = expr.X
		case *ast.ParenExpr:
			at.expr = expr.X
		case *ast.Ident:
			info := t.program.parser.LookupType(at.pkg, expr.Name)
			if info == nil {
				return at
			}
			at = t.ofType(at, info)
		case *ast.SelectorExpr:
			pkg := t.imported(at.pkg, expr)
			if pkg == nil || !t.program.inModule(pkg) {
				at.foreign, at.expr = true, nil
				return at
			}
			info := t.program.parser.LookupType(pkg, expr.Sel.Name)
			if info == nil {
				return at
			}
			at.pkg = pkg
			at = t.ofType(at, info)
		default:
			return at
		}
	}
}

func (t tree) ofType(at place, info *markers.TypeInfo) place {
	at.expr = info.RawSpec.Type
	at.markers = append(slices.Clone(at.markers), commentsOfType(info)...)
	return at
}

// imported returns the package that a selector names.
func (t tree) imported(from *loader.Package, expr *ast.SelectorExpr) *loader.Package {
	ident, ok := expr.X.(*ast.Ident)
	if !ok || from.TypesInfo == nil {
		return nil
	}
	name, ok := from.TypesInfo.Uses[ident].(*types.PkgName)
	if !ok {
		return nil
	}
	return from.Imports()[name.Imported().Path()]
}

// fieldPlace is the place of a field, and its Go name.
type fieldPlace struct {
	place
	name string
}

const maxDepth = 64

// fields returns the places of a struct's fields by their JSON keys, those of embedded structs
// included.
func (t tree) fields(at place) map[string]fieldPlace {
	found := map[string]fieldPlace{}
	structType, ok := at.expr.(*ast.StructType)
	if !ok || at.depth > maxDepth { // a struct may embed a pointer to itself
		return found
	}
	before := structType.Fields.Opening
	for _, f := range structType.Fields.List {
		below := place{pkg: at.pkg, node: f, expr: f.Type, foreign: at.foreign, markers: commentsBetween(at.pkg, before, f), depth: at.depth + 1}
		before = f.End()
		key := jsonName(loader.ParseAstTag(f.Tag).Get("json"))
		switch key {
		case "-":
		case "": // embedded
			maps.Copy(found, t.fields(t.declared(below)))
		default:
			goName := spec.GoName(key)
			if len(f.Names) > 0 {
				goName = f.Names[0].Name
			}
			found[key] = fieldPlace{below, goName}
		}
	}
	return found
}
