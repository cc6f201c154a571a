package gotypes

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// fieldChecker checks the types of a kind for fields without a schema, and for fields whose schema
// differs from their JSON.
type fieldChecker struct {
	*kindReader
	seen         map[*markers.TypeInfo]bool
	knownMarkers []string
}

// checkFields reports the problems of the kind's fields, each at its position.
func (k *kindReader) checkFields() {
	f := fieldChecker{k, map[*markers.TypeInfo]bool{}, markerNames(k.program.registry)}
	f.checkType(k.pkg, k.info, nil)
}

// checkType checks a type and the types of its fields. outer are the types that contain it.
func (f fieldChecker) checkType(pkg *loader.Package, info *markers.TypeInfo, outer []*markers.TypeInfo) {
	if f.seen[info] {
		return
	}
	f.seen[info] = true
	f.checkMarkers(commentsOfType(info))
	outer = append(slices.Clone(outer), info)
	structType, ok := info.RawSpec.Type.(*ast.StructType)
	if !ok {
		f.checkValue(pkg, info.RawSpec.Type, info.RawSpec, info.Markers, outer)
		return
	}
	named, before := map[string]*ast.Field{}, structType.Fields.Opening
	for _, field := range structType.Fields.List {
		f.checkMarkers(commentsBetween(pkg, before, field))
		before = field.End()
		tag, tagged := loader.ParseAstTag(field.Tag).Lookup("json")
		if tag == "-" || !tagged && len(field.Names) > 0 {
			continue
		}
		f.checkTag(pkg, field, tag)
		if name := jsonName(tag); name != "" {
			if earlier := named[name]; earlier != nil {
				f.reportAt(field, "the JSON name "+name+" is that of "+fieldName(earlier)+", too, and JSON leaves both out", "give one of the two another name")
			}
			named[name] = field
		}
		f.checkValue(pkg, field.Type, field, f.markersOf(info, field), outer)
	}
}

func (f fieldChecker) markersOf(info *markers.TypeInfo, field *ast.Field) markers.MarkerValues {
	for _, known := range info.Fields {
		if known.RawField == field {
			return known.Markers
		}
	}
	return nil
}

func fieldName(field *ast.Field) string {
	if len(field.Names) == 0 {
		return "an embedded field"
	}
	return field.Names[0].Name
}

// checkTag checks the options of a JSON tag, which follow the name.
func (f fieldChecker) checkTag(pkg *loader.Package, field *ast.Field, tag string) {
	if len(field.Names) > 0 && !field.Names[0].IsExported() {
		if name := field.Names[0].Name; !f.program.source.IgnoreUnexportedFields {
			f.reportAt(field, "the field "+name+" has a JSON name and is not exported, so that JSON passes it over", "export it, take off the tag, or write ignoreUnexportedFields: true in opgen.yaml")
		}
		return
	}
	options := strings.Split(tag, ",")
	if !slices.Contains(options[1:], "string") {
		return
	}
	t := pkg.TypesInfo.TypeOf(field.Type)
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&(types.IsNumeric|types.IsBoolean) != 0 {
		f.reportAt(field, "JSON has the value of "+fieldName(field)+" as a string, by the option string of its tag, and the schema says "+basic.Name(),
			"leave the option out, or make the field a string")
	}
}

// checkValue checks the type of a field or of an element, and all types below it.
func (f fieldChecker) checkValue(pkg *loader.Package, expr ast.Expr, at ast.Node, said markers.MarkerValues, outer []*markers.TypeInfo) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		f.checkValue(pkg, expr.X, at, said, outer)
	case *ast.ParenExpr:
		f.checkValue(pkg, expr.X, at, said, outer)
	case *ast.ArrayType:
		f.checkValue(pkg, expr.Elt, at, said, outer)
	case *ast.MapType:
		f.checkValue(pkg, expr.Value, at, said, outer)
	case *ast.Ident:
		f.checkNamed(pkg, f.program.parser.LookupType(pkg, expr.Name), at, outer)
	case *ast.SelectorExpr:
		imported := f.newTree().importedPackage(pkg, expr)
		if imported == nil {
			return
		}
		if f.program.inModule(imported) {
			f.checkNamed(imported, f.program.parser.LookupType(imported, expr.Sel.Name), at, outer)
			return
		}
		f.checkForeign(pkg, expr, at, said)
	}
}

func (f fieldChecker) checkNamed(pkg *loader.Package, info *markers.TypeInfo, at ast.Node, outer []*markers.TypeInfo) {
	switch {
	case info == nil: // a predeclared type, or one that does not exist, which the compiler reports
	case slices.Contains(outer, info):
		f.reportAt(at, info.Name+" is recursive, and a CRD cannot have a recursive schema", "use a type that is not recursive, or runtime.RawExtension")
	default:
		f.checkType(pkg, info, outer)
	}
}

// checkForeign checks a type of another module. It has no schema unless it is one of Kubernetes, or
// a marker says that the field needs none.
func (f fieldChecker) checkForeign(pkg *loader.Package, expr *ast.SelectorExpr, at ast.Node, said markers.MarkerValues) {
	t := pkg.TypesInfo.TypeOf(expr)
	if t == nil || said.Get("kubebuilder:validation:Schemaless") != nil || said.Get("kubebuilder:validation:Type") != nil {
		return
	}
	const instead = "use runtime.RawExtension or apiextensions' JSON, which hold anything"
	if types.TypeString(t, nil) == "encoding/json.RawMessage" {
		f.reportAt(at, types.ExprString(expr)+" has no schema", instead)
	}
	if types.IsInterface(t) {
		f.reportAt(at, types.ExprString(expr)+" is an interface, which has no schema", instead)
	}
}
