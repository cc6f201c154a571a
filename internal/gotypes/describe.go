package gotypes

import (
	"go/ast"
	"go/parser"
	"go/types"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// describer describes how generated code copies Go types.
type describer struct {
	program *program
	hidden  map[string]map[string]bool // import path → methods that are generated, as Type.Method
}

// formOf returns the shape of a type.
func formOf(t types.Type) kubetypes.Form {
	switch t.Underlying().(type) {
	case *types.Struct:
		return kubetypes.Struct
	case *types.Map:
		return kubetypes.Map
	case *types.Slice:
		return kubetypes.Slice
	default:
		return kubetypes.Scalar
	}
}

// copying returns how a value of a type is copied, and how its elements are if it is a map or a
// slice. It reports false for a type that holds references and has no methods to copy them.
func (d *describer) copying(t types.Type) (whole, element kubetypes.Copy, ok bool) {
	if by := d.handWritten(t); by != "" {
		return by, "", true
	}
	if isAssignable(t) {
		return kubetypes.CopyAssign, "", true
	}
	if elem, isMap := elementOf(t); elem != nil {
		if by := d.copyOfElement(elem, isMap); by != "" {
			return kubetypes.CopyElements, by, true
		}
		return kubetypes.CopyValue, "", d.has(t, "DeepCopy") // which knows the elements
	}
	return kubetypes.CopyInto, "", d.has(t, "DeepCopyInto") && d.has(t, "DeepCopy")
}

// copyOfElement returns how an element of a map or a slice is copied, empty if there is more to it
// than a call.
func (d *describer) copyOfElement(elem types.Type, ofMap bool) kubetypes.Copy {
	into := d.has(elem, "DeepCopyInto")
	switch by := d.handWritten(elem); {
	case by == kubetypes.CopyValue && (ofMap || into), by == kubetypes.CopyPointer:
		return by
	case by != "":
		return ""
	case isAssignable(elem):
		return kubetypes.CopyAssign
	case formOf(elem) == kubetypes.Struct && into && d.has(elem, "DeepCopy"):
		return kubetypes.CopyInto
	}
	return ""
}

func elementOf(t types.Type) (elem types.Type, ofMap bool) {
	switch under := t.Underlying().(type) {
	case *types.Map:
		return under.Elem(), true
	case *types.Slice:
		return under.Elem(), false
	}
	return nil, false
}

// handWritten returns how a type with methods of its own is copied, empty for one without: all its
// methods may be generated.
func (d *describer) handWritten(t types.Type) kubetypes.Copy {
	into, by := methodOf(t, "DeepCopyInto"), methodOf(t, "DeepCopy")
	if by != nil && by.Results().Len() == 1 {
		if _, pointer := by.Results().At(0).Type().(*types.Pointer); !pointer {
			return kubetypes.CopyValue
		}
	}
	switch {
	case into != nil && d.has(t, "DeepCopy"), by != nil && d.has(t, "DeepCopyInto"):
		return kubetypes.CopyPointer
	case into != nil:
		return kubetypes.CopyInto
	}
	return ""
}

// has reports whether a type has a method, written by hand or generated.
func (d *describer) has(t types.Type, name string) bool {
	return methodOf(t, name) != nil || d.generated(t, name)
}

// methodOf returns the signature of a method of a type or of a pointer to it, but of no field that
// it embeds.
func methodOf(t types.Type, name string) *types.Signature {
	found, path, _ := types.LookupFieldOrMethod(t, true, nil, name)
	if found == nil || len(path) != 1 {
		return nil
	}
	signature, _ := found.Type().(*types.Signature)
	return signature
}

// isAssignable reports whether an assignment copies all of a value.
func isAssignable(t types.Type) bool {
	switch under := t.Underlying().(type) {
	case *types.Basic:
		return under.Kind() != types.Invalid && under.Kind() != types.UnsafePointer
	case *types.Array:
		return isAssignable(under.Elem())
	case *types.Struct:
		for field := range under.Fields() {
			if !isAssignable(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// generated reports whether a type has a method in a file that was generated, which the build
// constraint of such files hides: the packages are loaded as controller-gen loads them.
func (d *describer) generated(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path := named.Obj().Pkg().Path()
	if d.hidden[path] == nil {
		d.hidden[path] = d.hiddenIn(path)
	}
	return d.hidden[path][named.Obj().Name()+"."+name]
}

// hiddenIn returns the methods, as Type.Method, of the files of a package that the build leaves
// out.
func (d *describer) hiddenIn(importPath string) map[string]bool {
	found := map[string]bool{}
	pkg := d.program.roots.find(importPath)
	if pkg == nil {
		return found
	}
	for _, file := range pkg.IgnoredFiles {
		parsed, err := parser.ParseFile(d.program.positions.fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the go command does not read it either
		}
		for _, decl := range parsed.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				found[receiverName(fn)+"."+fn.Name.Name] = true
			}
		}
	}
	return found
}

func receiverName(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
