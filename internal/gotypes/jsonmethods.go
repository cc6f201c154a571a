package gotypes

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// checkJSONMethods reports types whose methods write another JSON than their fields.
func (f *fieldChecker) checkJSONMethods(pkg *loader.Package, info *markers.TypeInfo) {
	t := declaredType(pkg, info)
	if t == nil || types.IsInterface(t) || info.RawSpec.Assign.IsValid() {
		return
	}
	for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		if by := promotedFrom(t, name); by != "" {
			f.reportAt(embeddedField(info, by), info.Name+" embeds "+by+", whose method "+name+" stands for "+info.Name+" as a whole: JSON has none of the other fields",
				"give the field a name: "+by+" "+by+" `json:\""+lowerFirst(by)+"\"`")
			return
		}
	}
	writes, reads := methodOf(t, "MarshalText") != nil, methodOf(t, "UnmarshalText") != nil || methodOf(t, "UnmarshalJSON") != nil
	basic, isBasic := t.Underlying().(*types.Basic)
	isText := isBasic && basic.Info()&types.IsString != 0
	switch {
	case methodOf(t, "MarshalJSON") != nil:
		f.checkOwnJSON(info, t)
	case writes && !reads && !isText:
		f.reportAt(info.RawSpec, info.Name+" is written as text, by its method MarshalText, and has no UnmarshalText to read it", "add the method")
	case !writes && reads && methodOf(t, "UnmarshalText") != nil && !isText:
		f.reportAt(info.RawSpec, info.Name+" is read from text, by its method UnmarshalText, and has no MarshalText to write it", "add the method")
	}
}

// checkOwnJSON warns of a type that writes its JSON itself, without a marker that says what. Types with
// a field Nulls or Unknown, as opgen generates them, write their fields.
func (f *fieldChecker) checkOwnJSON(info *markers.TypeInfo, t types.Type) {
	if info.Markers.Get("kubebuilder:validation:Type") != nil {
		return
	}
	if structType, ok := t.Underlying().(*types.Struct); ok {
		for i := range structType.NumFields() {
			if name := structType.Field(i).Name(); structType.Tag(i) == `json:"-"` && (name == "Nulls" || name == "Unknown") {
				return
			}
		}
	}
	f.warnAt(info.RawSpec, info.Name+" writes its JSON itself, by its method MarshalJSON, and the schema is that of its Go type",
		"if the two differ, say what it writes: // +kubebuilder:validation:Type=string, for example")
}

// hidesFields reports whether neither the JSON of a type nor its schema comes from its fields: it writes its JSON itself, and
// a marker says what, or it is text.
func hidesFields(pkg *loader.Package, info *markers.TypeInfo) bool {
	t := declaredType(pkg, info)
	switch {
	case t == nil:
		return false
	case methodOf(t, "MarshalJSON") != nil:
		return info.Markers.Get("kubebuilder:validation:Type") != nil
	}
	return methodOf(t, "MarshalText") != nil
}

// promotedFrom returns the embedded field that a method of a type comes from, "" if the method is its
// own or if it has none.
func promotedFrom(t types.Type, method string) string {
	found, path, _ := types.LookupFieldOrMethod(t, true, nil, method)
	if _, isMethod := found.(*types.Func); !isMethod || len(path) < 2 {
		return ""
	}
	structType, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	return structType.Field(path[0]).Name()
}

// embeddedField returns the declaration of an embedded field, or that of the type.
func embeddedField(info *markers.TypeInfo, name string) ast.Node {
	for _, field := range info.Fields {
		if field.Name == "" && goName(field.RawField) == name {
			return field.RawField
		}
	}
	return info.RawSpec
}

// knownJSON are the types of Kubernetes that write their JSON themselves, and whose schema is that JSON.
var knownJSON = []string{
	metaPackage + ".Time", metaPackage + ".MicroTime", metaPackage + ".Duration",
	"k8s.io/apimachinery/pkg/api/resource.Quantity", "k8s.io/apimachinery/pkg/util/intstr.IntOrString", "k8s.io/apimachinery/pkg/runtime.RawExtension",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON",
}

// checkForeignJSON checks a field of a type of another module that writes its JSON itself.
func (f *fieldChecker) checkForeignJSON(pkg *loader.Package, field *ast.Field, said markers.MarkerValues) {
	selector := foreignType(field.Type)
	if selector == nil || said.Get("kubebuilder:pruning:PreserveUnknownFields") != nil || said.Get("kubebuilder:validation:XPreserveUnknownFields") != nil {
		return
	}
	imported, t := pkg.Imports()[importPath(pkg, selector)], typeOf(pkg, selector)
	if imported == nil || t == nil || f.program.inModule(imported) || methodOf(t, "MarshalJSON") == nil {
		return
	}
	name, shown := types.TypeString(types.Unalias(t), nil), types.ExprString(selector)
	info := f.typeInfo(imported, selector.Sel.Name)
	switch {
	case strings.HasPrefix(name, metaPackage+"/unstructured."):
		f.reportAt(field, shown+" holds any object, of which the API server would drop all fields", "write above it: // +kubebuilder:pruning:PreserveUnknownFields")
	case slices.Contains(knownJSON, name), info != nil && info.Markers.Get("kubebuilder:validation:Type") != nil:
	default:
		f.warnAt(field, shown+" writes its JSON itself, by its method MarshalJSON, and the schema is that of its Go type",
			"if the two differ: // +kubebuilder:validation:Schemaless with // +kubebuilder:pruning:PreserveUnknownFields, or a type with the JSON that it writes")
	}
}

// foreignType returns the type of another package that a field has or consists of, nil if there is none.
func foreignType(expr ast.Expr) *ast.SelectorExpr {
	for {
		switch t := expr.(type) {
		case *ast.StarExpr:
			expr = t.X
		case *ast.ArrayType:
			expr = t.Elt
		case *ast.MapType:
			expr = t.Value
		case *ast.SelectorExpr:
			return t
		default:
			return nil
		}
	}
}
