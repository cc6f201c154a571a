package gotypes

import (
	"go/ast"
	"go/types"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// anythingHint is what holds any value.
const anythingHint = "use runtime.RawExtension or apiextensions' JSON, which hold anything"

// checkValue checks the type of a field or of an element, and all types below it. controller-tools
// must not see a type without a schema: its messages have the names of Go's parser, and some types
// make it panic.
func (f *fieldChecker) checkValue(pkg *loader.Package, expr ast.Expr, at ast.Node, outer []*markers.TypeInfo) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		f.checkValue(pkg, expr.X, at, outer)
	case *ast.ParenExpr:
		f.reportAt(at, "the type stands in parentheses", "write "+types.ExprString(expr.X))
	case *ast.ArrayType:
		f.checkElements(pkg, expr, at)
		f.checkValue(pkg, expr.Elt, at, outer)
	case *ast.MapType:
		f.checkKeys(pkg, expr, at)
		f.checkValue(pkg, expr.Value, at, outer)
	case *ast.StructType:
		f.checkUnnamedStruct(expr, at)
	case *ast.FuncType:
		f.reportAt(at, "a function has no schema", "leave the field out of the JSON, by the tag `json:\"-\"`")
	case *ast.ChanType:
		f.reportAt(at, "a channel has no schema", "leave the field out of the JSON, by the tag `json:\"-\"`")
	case *ast.InterfaceType:
		f.reportAt(at, "an interface has no schema", anythingHint)
	case *ast.IndexExpr, *ast.IndexListExpr:
		f.reportAt(at, types.ExprString(expr)+" is generic, which opgen does not read", "declare a type with the fields that it has for these types")
	case *ast.Ident:
		f.checkIdent(pkg, expr, at, outer)
	case *ast.SelectorExpr:
		f.checkSelector(pkg, expr, at, outer)
	}
}

// checkUnnamedStruct reports a struct without a name, unless it is what a type is declared as.
func (f *fieldChecker) checkUnnamedStruct(expr *ast.StructType, at ast.Node) {
	if declared, ok := at.(*ast.TypeSpec); ok && declared.Type == ast.Expr(expr) {
		return
	}
	f.reportAt(at, "a struct without a name has no schema", "declare a type for it, and use its name")
}

// checkElements reports lists of bytes that JSON has as text and the schema as a list of numbers. Only
// []byte is text to both.
func (f *fieldChecker) checkElements(pkg *loader.Package, list *ast.ArrayType, at ast.Node) {
	element := typeOf(pkg, list.Elt)
	if element == nil || list.Len != nil || element == types.Universe.Lookup("byte").Type() {
		return
	}
	basic, ok := element.Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Uint8 || hasMethod(element, "MarshalJSON") || hasMethod(element, "MarshalText") {
		return
	}
	f.reportAt(at, "JSON has "+types.ExprString(list)+" as base64 text, and the schema says a list of integers",
		"write []byte for text, or []int32 for a list")
}

// checkKeys reports maps whose keys are no text in JSON.
func (f *fieldChecker) checkKeys(pkg *loader.Package, m *ast.MapType, at ast.Node) {
	key := typeOf(pkg, m.Key)
	if key == nil || hasMethod(key, "MarshalText") {
		return
	}
	if basic, ok := key.Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
		return
	}
	f.reportAt(at, "the keys of "+types.ExprString(m)+" are no text, as those of a CRD must be", "write map[string]"+types.ExprString(m.Value))
}

// checkIdent checks a type by the name that it has in its package, or without one.
func (f *fieldChecker) checkIdent(pkg *loader.Package, expr *ast.Ident, at ast.Node, outer []*markers.TypeInfo) {
	object := pkg.TypesInfo.Uses[expr]
	if object == nil {
		f.reportAt(expr, "unknown type "+expr.Name, "declare it, or import its package")
		return
	}
	if object.Pkg() != nil && object.Pkg() != pkg.Types { // by an import with a dot
		if imported := pkg.Imports()[object.Pkg().Path()]; imported != nil && f.program.inModule(imported) {
			f.checkNamed(imported, f.typeInfo(imported, object.Name()), at, outer)
		}
		return
	}
	if what := withoutSchema(object.Type()); what != "" && object.Pkg() == nil {
		if what == expr.Name {
			f.reportAt(at, what+" has no schema", "use an integer, a floating point number or a string")
		} else {
			f.reportAt(at, expr.Name+" is "+what+", which has no schema", anythingHint)
		}
		return
	}
	f.checkNamed(pkg, f.typeInfo(pkg, expr.Name), at, outer)
}

func (f *fieldChecker) checkSelector(pkg *loader.Package, expr *ast.SelectorExpr, at ast.Node, outer []*markers.TypeInfo) {
	imported := pkg.Imports()[importPath(pkg, expr)]
	switch {
	case imported == nil || typeOf(pkg, expr) == nil:
		f.reportAt(expr, "unknown type "+types.ExprString(expr), "declare it in that package, or correct its name")
	case f.program.inModule(imported):
		f.checkNamed(imported, f.typeInfo(imported, expr.Sel.Name), at, outer)
	default:
		f.checkForeign(pkg, expr, at)
	}
}

// withoutFit has the types of other modules whose schema differs from their JSON, with what to write
// instead.
var withoutFit = map[string][2]string{
	"encoding/json.RawMessage": {"has no schema", anythingHint},
	"encoding/json.Number":     {"is a number in JSON, and the schema says a string", "use int64, float64 or resource.Quantity"},
	"net.IP":                   {"reads addresses only, and the schema accepts any string", "use a string with +kubebuilder:validation:Format=ipv4 or ipv6"},
	"net.IPMask":               {"is base64 text in JSON, and the schema says a list of integers", "use a string"},
	"net.HardwareAddr":         {"is base64 text in JSON, and the schema says a list of integers", "use a string with +kubebuilder:validation:Format=mac"},
}

// checkForeign checks a type of another module. It has no schema unless it is one of Kubernetes.
func (f *fieldChecker) checkForeign(pkg *loader.Package, expr *ast.SelectorExpr, at ast.Node) {
	t := typeOf(pkg, expr)
	if differs, found := withoutFit[types.TypeString(types.Unalias(t), nil)]; found {
		f.reportAt(at, types.ExprString(expr)+" "+differs[0], differs[1])
		return
	}
	if what := withoutSchema(t); what != "" {
		f.reportAt(at, types.ExprString(expr)+" is "+what+", which has no schema", anythingHint)
	}
}

func hasMethod(t types.Type, name string) bool {
	found, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, isMethod := found.(*types.Func)
	return isMethod
}
