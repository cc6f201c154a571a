package gotypes

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"sigs.k8s.io/controller-tools/pkg/loader"
)

// checkTag checks the JSON tag of a field: that controller-tools and encoding/json read the same key
// and the same sort of value from it.
func (f *fieldChecker) checkTag(pkg *loader.Package, field *ast.Field, tag string) {
	name := jsonName(tag)
	options := strings.Split(tag, ",")[1:]
	if len(field.Names) > 0 && !field.Names[0].IsExported() {
		if hidden := field.Names[0].Name; !f.program.source.IgnoreUnexportedFields {
			f.reportAt(field, "the field "+hidden+" has a JSON name and is not exported, so that JSON passes it over", "export it, take off the tag, or write ignoreUnexportedFields: true in opgen.yaml")
		}
		return
	}
	if !isJSONName(name) {
		f.reportAt(field, "JSON takes "+goName(field)+" as the name of the field, because "+name+" has characters that no JSON name of Go has", "write a name of letters and digits")
		return
	}
	switch embedded := len(field.Names) == 0; {
	case !embedded && name == "":
		f.reportAt(field, "the field "+goName(field)+" is not embedded, so that JSON has it as "+goName(field)+", and the schema has its content without that name",
			"give it a JSON name, such as `json:\""+lowerFirst(goName(field))+",omitempty\"`, or embed its type: leave out the name "+goName(field))
	case name != "" && slices.Contains(options, "inline"):
		f.reportAt(field, "JSON has the field as "+name+", and the schema has its content without that name, by the option inline", "leave out the name, or the option inline")
	case name == "" && !isEmbeddable(typeOf(pkg, field.Type)):
		f.reportAt(field, "JSON has "+goName(field)+" as a field of that name, because it is no struct, and the schema has its content without that name",
			"give it a JSON name, such as `json:\""+lowerFirst(goName(field))+",omitempty\"`")
	case name == "" && pointsToHidden(typeOf(pkg, field.Type)):
		f.reportAt(field, "JSON cannot read into "+goName(field)+", a pointer to a type that is not exported", "export the type, or embed it without the pointer")
	}
	if slices.Contains(options, "string") {
		f.checkStringOption(pkg, field)
	}
}

// checkUntagged reports a field without a JSON tag, unless it is not part of the JSON.
func (f *fieldChecker) checkUntagged(field *ast.Field) {
	if len(field.Names) == 0 {
		f.reportAt(field, "the embedded field has no JSON name", "add the tag `json:\",inline\"` if it is a struct, or give the field a name")
		return
	}
	for _, name := range field.Names {
		if name.IsExported() {
			f.reportAt(field, "the field "+name.Name+" has no JSON name", "add a tag such as `json:\""+lowerFirst(name.Name)+",omitempty\"`, or `json:\"-\"`")
		}
	}
}

// checkStringOption reports the option string where it changes the value: JSON then has a number or a
// boolean as text, and text in quotes within quotes.
func (f *fieldChecker) checkStringOption(pkg *loader.Package, field *ast.Field) {
	t := typeOf(pkg, field.Type)
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if t == nil {
		return
	}
	basic, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case basic.Info()&(types.IsNumeric|types.IsBoolean) != 0:
		f.reportAt(field, "JSON has the value of "+goName(field)+" as a string, by the option string of its tag, and the schema says "+basic.Name(),
			"leave the option out, or make the field a string")
	case basic.Info()&types.IsString != 0:
		f.reportAt(field, "JSON has quotes within the value of "+goName(field)+", by the option string of its tag", "leave the option out")
	}
}

// goName returns the Go name of a field.
func goName(field *ast.Field) string {
	if len(field.Names) > 0 {
		return field.Names[0].Name
	}
	expr := field.Type
	for {
		switch t := expr.(type) {
		case *ast.StarExpr:
			expr = t.X
		case *ast.SelectorExpr:
			return t.Sel.Name
		case *ast.Ident:
			return t.Name
		case *ast.IndexExpr:
			expr = t.X
		case *ast.IndexListExpr:
			expr = t.X
		default:
			return types.ExprString(expr)
		}
	}
}

// isJSONName reports whether encoding/json takes a name from a tag. It takes the name of the field
// otherwise.
func isJSONName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// isEmbeddable reports whether JSON has the fields of an embedded type among those around it.
func isEmbeddable(t types.Type) bool {
	if t == nil {
		return true // the compiler reports it
	}
	_, isStruct := pointedTo(t).Underlying().(*types.Struct)
	return isStruct
}

// pointsToHidden reports whether a type is a pointer to a type that is not exported.
func pointsToHidden(t types.Type) bool {
	if t == nil {
		return false
	}
	named, ok := pointedTo(t).(*types.Named)
	return ok && types.Unalias(t) != types.Type(named) && !named.Obj().Exported()
}

// pointedTo returns what a pointer points to, and any other type itself.
func pointedTo(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(pointer.Elem())
	}
	return types.Unalias(t)
}
