package gotypes

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/spec"
)

// tree turns a schema that was made from Go types into nodes with the positions of the Go source.
type tree struct {
	program *program
	pkg     *loader.Package
	info    *markers.TypeInfo
}

func (k *kindReader) newTree() tree { return tree{program: k.program, pkg: k.pkg, info: k.info} }

// origin is where a part of a schema comes from.
type origin struct {
	pkg     *loader.Package
	node    ast.Node  // has the position
	expr    ast.Expr  // the Go type; nil if it does not matter
	markers []comment // that apply to it
	foreign string    // import path of the type of another module that it belongs to
	depth   int       // number of embedded structs around it
}

func (t tree) rootNode(s apiextv1.JSONSchemaProps) *spec.Schema {
	return t.nodeOf(s, t.ofType(origin{pkg: t.pkg, node: t.info.RawSpec}, t.info))
}

// nodeOf returns a schema and everything below it as nodes.
func (t tree) nodeOf(s apiextv1.JSONSchemaProps, at origin) *spec.Schema {
	at = t.followName(at)
	out := &spec.Schema{Pos: t.program.positions.ofNode(at.node), At: map[string]spec.Pos{}, Keywords: s, Foreign: at.foreign}
	out.Keywords.Properties, out.Keywords.Items, out.Keywords.AdditionalProperties = nil, nil, nil
	t.program.setKeywordPositions(out, at.markers)
	fields := t.fieldsOf(at)
	for _, name := range t.propertyOrder(s, fields) {
		below := origin{pkg: at.pkg, node: at.node, foreign: cmp.Or(at.foreign, t.embeddedForeign(at))}
		goName := spec.GoName(name)
		if f, found := fields[name]; found {
			below, goName = f.origin, f.name
		}
		below.depth = 0
		out.Properties = append(out.Properties, spec.Property{
			Pos: t.program.positions.ofNode(below.node), Name: name, GoName: goName, Schema: t.nodeOf(s.Properties[name], below),
		})
	}
	if s.Items != nil && s.Items.Schema != nil {
		out.Items = t.nodeOf(*s.Items.Schema, at.element())
	}
	if values := s.AdditionalProperties; values != nil {
		if values.Schema != nil {
			out.AdditionalProperties = t.nodeOf(*values.Schema, at.element())
		} else {
			out.AdditionalPropertiesAllowed = &values.Allows
		}
	}
	return out
}

// propertyOrder returns the names of properties in the order of the Go fields. Properties without a
// field are last.
func (t tree) propertyOrder(s apiextv1.JSONSchemaProps, fields map[string]fieldOrigin) []string {
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

// element returns the origin of the items of a list, or of the values of a map.
func (p origin) element() origin {
	below := origin{pkg: p.pkg, node: p.node, foreign: p.foreign}
	switch t := p.expr.(type) {
	case *ast.ArrayType:
		below.expr = t.Elt
	case *ast.MapType:
		below.expr = t.Value
	}
	return below
}

// followName replaces the name of a type by its declaration, and adds the markers there.
func (t tree) followName(at origin) origin {
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
			pkg := t.importedPackage(at.pkg, expr)
			if pkg == nil || !t.program.inModule(pkg) {
				at.foreign, at.expr = cmp.Or(importPath(at.pkg, expr), metaPackage), nil
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

func (t tree) ofType(at origin, info *markers.TypeInfo) origin {
	at.expr = info.RawSpec.Type
	at.markers = append(slices.Clone(at.markers), commentsOfType(info)...)
	return at
}

// importedPackage returns the package that a selector names.
func (t tree) importedPackage(from *loader.Package, expr *ast.SelectorExpr) *loader.Package {
	return from.Imports()[importPath(from, expr)]
}

// importPath returns the import path of the package that a selector names, and "" if it is not
// known.
func importPath(from *loader.Package, expr *ast.SelectorExpr) string {
	ident, ok := expr.X.(*ast.Ident)
	if !ok || from.TypesInfo == nil {
		return ""
	}
	name, ok := from.TypesInfo.Uses[ident].(*types.PkgName)
	if !ok {
		return ""
	}
	return name.Imported().Path()
}

// embeddedForeign returns the package of the first type of another module that a struct embeds: a
// property without a field in the project is from there.
func (t tree) embeddedForeign(at origin) string {
	if structType, ok := at.expr.(*ast.StructType); ok {
		for _, f := range structType.Fields.List {
			if len(f.Names) > 0 {
				continue
			}
			if embedded := t.followName(origin{pkg: at.pkg, node: f, expr: f.Type, depth: at.depth + 1}); embedded.foreign != "" {
				return embedded.foreign
			}
		}
	}
	return metaPackage
}

// fieldOrigin is the origin of a field, and its Go name.
type fieldOrigin struct {
	origin
	name string
}

const maxDepth = 64

// fieldsOf returns the origins of a struct's fields by JSON key, including those of embedded
// structs.
func (t tree) fieldsOf(at origin) map[string]fieldOrigin {
	found := map[string]fieldOrigin{}
	structType, ok := at.expr.(*ast.StructType)
	if !ok || at.depth > maxDepth { // a struct may embed a pointer to itself
		return found
	}
	before := structType.Fields.Opening
	for _, f := range structType.Fields.List {
		below := origin{pkg: at.pkg, node: f, expr: f.Type, foreign: at.foreign, markers: commentsBetween(at.pkg, before, f), depth: at.depth + 1}
		before = f.End()
		key := jsonName(loader.ParseAstTag(f.Tag).Get("json"))
		switch key {
		case "-":
		case "": // embedded
			for key, field := range t.fieldsOf(t.followName(below)) {
				if _, known := found[key]; !known || found[key].depth > field.depth { // as JSON takes it
					found[key] = field
				}
			}
		default:
			goName := spec.GoName(key)
			if len(f.Names) > 0 {
				goName = f.Names[0].Name
			}
			found[key] = fieldOrigin{below, goName}
		}
	}
	return found
}
