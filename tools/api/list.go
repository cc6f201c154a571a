package main

import (
	"fmt"
	"go/types"
	"strings"
)

// listPackage returns a line for each exported name of a package, each exported field and each exported method. Packages
// are named without their paths.
func listPackage(pkg *types.Package) []string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, "pkg "+pkg.Name()+", "+fmt.Sprintf(format, args...))
	}
	text := func(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }
	for _, name := range pkg.Scope().Names() {
		if !pkg.Scope().Lookup(name).Exported() {
			continue
		}
		switch object := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			add("const %s %s = %s", name, text(object.Type()), object.Val().ExactString())
		case *types.Var:
			add("var %s %s", name, text(object.Type()))
		case *types.Func:
			add("func %s%s", name, signature(object))
		case *types.TypeName:
			listType(object, add)
		}
	}
	return lines
}

// listType lists a type with its exported fields and methods, and so the type that an alias makes public.
func listType(object *types.TypeName, add func(string, ...any)) {
	text := func(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }
	name := object.Name()
	if object.IsAlias() {
		add("type %s = %s", name, text(types.Unalias(object.Type())))
	}
	named, ok := types.Unalias(object.Type()).(*types.Named)
	if !ok || object.IsAlias() && !isInternal(named) {
		return
	}
	parameters := parametersOf(named)
	switch underlying := named.Underlying().(type) {
	case *types.Struct:
		add("type %s%s struct", name, parameters)
		for field := range underlying.Fields() {
			if field.Exported() {
				add("type %s%s struct, %s %s", name, parameters, field.Name(), text(field.Type()))
			}
		}
	case *types.Interface:
		add("type %s%s interface", name, parameters)
		for method := range underlying.Methods() {
			add("type %s%s interface, %s%s", name, parameters, method.Name(), signature(method))
		}
	default:
		add("type %s%s %s", name, parameters, text(underlying))
	}
	for method := range named.Methods() {
		if method.Exported() {
			receiver := method.Signature().Recv().Type()
			add("method (%s) %s%s", text(receiver), method.Name(), signature(method))
		}
	}
}

// isInternal reports whether projects can name a type only by an alias.
func isInternal(named *types.Named) bool {
	pkg := named.Obj().Pkg()
	return pkg != nil && strings.Contains(pkg.Path()+"/", "/internal/")
}

// signature returns the parameters and results of a function.
func signature(f *types.Func) string {
	return strings.TrimPrefix(types.TypeString(f.Type(), (*types.Package).Name), "func")
}

// parametersOf returns the type parameters of a type with their constraints, in brackets.
func parametersOf(named *types.Named) string {
	var parameters []string
	for parameter := range named.TypeParams().TypeParams() {
		parameters = append(parameters, parameter.Obj().Name()+" "+types.TypeString(parameter.Constraint(), (*types.Package).Name))
	}
	if len(parameters) == 0 {
		return ""
	}
	return "[" + strings.Join(parameters, ", ") + "]"
}
