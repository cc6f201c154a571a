package templates

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// deepCopyView is a package with the bodies of its DeepCopyInto methods. The types are sorted by
// name.
type deepCopyView struct {
	gomodel.Package
	Types   []copiedType
	Imports []gomodel.Import
}

// copiedType is a type that has DeepCopy methods.
type copiedType struct {
	Name      string
	Receiver  string // *Name, or Name for a list or map
	Reference bool   // a list or map
	Body      string // of DeepCopyInto
	Object    bool
	Runtime   string // the alias of apimachinery's runtime package
}

func newDeepCopyView(pkg gomodel.Package) deepCopyView {
	view := deepCopyView{Package: pkg}
	aliases := newCopyAliases(pkg)
	for _, t := range pkg.Types { // the order decides which import gets the shorter alias
		if t.Of != nil && t.Of.Shape == gomodel.Name {
			continue // a scalar
		}
		w := copyWriter{aliases: aliases}
		copied := copiedType{Name: t.Name, Receiver: "*" + t.Name, Object: t.Object}
		if t.Of == nil {
			w.writeStructBody(t.Fields)
		} else {
			copied.Receiver, copied.Reference = t.Name, true
			w.writeLine("{")
			w.writeLine("in := &in")
			w.writeElements(t.Of, t.Name)
			w.writeLine("}")
		}
		copied.Body = w.String()
		if t.Object {
			copied.Runtime = aliases.aliasFor("k8s.io/apimachinery/pkg/runtime")
		}
		view.Types = append(view.Types, copied)
	}
	slices.SortFunc(view.Types, func(a, b copiedType) int { return strings.Compare(a.Name, b.Name) })
	view.Imports = aliases.imports()
	return view
}

// copyWriter writes statements that copy *in to *out.
type copyWriter struct {
	strings.Builder
	aliases *copyAliases
}

func (w *copyWriter) writeLine(parts ...string) {
	for _, part := range parts {
		w.WriteString(part)
	}
	w.WriteByte('\n')
}

// writeStructBody writes the copy of a struct: first an assignment of the whole, then a copy of each
// field that contains references.
func (w *copyWriter) writeStructBody(fields []gomodel.Field) {
	w.writeLine("*out = *in")
	for _, f := range fields {
		name := f.Name
		if name == "" {
			name = f.Type.Name // embedded
		}
		w.writeField(name, f.Type)
	}
}

func (w *copyWriter) writeField(name string, t *gomodel.GoType) {
	if isReference(t) {
		w.writeLine("if in.", name, " != nil {")
		w.writeLine("in, out := &in.", name, ", &out.", name)
		w.writeReference(t)
		w.writeLine("}")
		return
	}
	switch {
	case t.Form == kubetypes.Scalar:
	case t.Copy == kubetypes.CopyAssign:
		w.writeLine("out.", name, " = in.", name)
	case t.Copy == kubetypes.CopyValue:
		w.writeLine("out.", name, " = in.", name, ".DeepCopy()")
	default:
		w.writeLine("in.", name, ".DeepCopyInto(&out.", name, ")")
	}
}

// isReference reports whether a value of the type may be nil.
func isReference(t *gomodel.GoType) bool {
	return t.Shape != gomodel.Name || t.Copy == kubetypes.CopyElements
}

// writeReference writes the copy of a pointer, list or map that is not nil.
func (w *copyWriter) writeReference(t *gomodel.GoType) {
	if t.Shape == gomodel.Pointer {
		w.writePointer(t.Elem)
		return
	}
	w.writeElements(underlyingType(t), w.typeSyntax(t))
}

// underlyingType returns the list or map that a named type is declared as.
func underlyingType(t *gomodel.GoType) *gomodel.GoType {
	if t.Shape != gomodel.Name {
		return t
	}
	if t.Of != nil {
		return t.Of
	}
	shape := gomodel.List
	if t.Form == kubetypes.Map {
		shape = gomodel.Map
	}
	return &gomodel.GoType{Shape: shape, Elem: &gomodel.GoType{Shape: gomodel.Name, Copy: t.ElemCopy}}
}

func (w *copyWriter) writePointer(elem *gomodel.GoType) {
	switch elem.Copy {
	case kubetypes.CopyValue:
		w.writeLine("x := (*in).DeepCopy()")
		w.writeLine("*out = &x")
	case kubetypes.CopyPointer:
		w.writeLine("*out = (*in).DeepCopy()")
	case kubetypes.CopyAssign:
		w.writeLine("*out = new(", w.typeSyntax(elem), ")")
		w.writeLine("**out = **in")
	default:
		w.writeLine("*out = new(", w.typeSyntax(elem), ")")
		w.writeLine("(*in).DeepCopyInto(*out)")
	}
}

// writeElements writes the copy of a list or map. name is the name of its type.
func (w *copyWriter) writeElements(t *gomodel.GoType, name string) {
	w.writeLine("*out = make(", name, ", len(*in))")
	if t.Shape == gomodel.Map {
		w.writeValues(t.Elem)
		return
	}
	if !isReference(t.Elem) && t.Elem.Copy == kubetypes.CopyAssign {
		w.writeLine("copy(*out, *in)")
		return
	}
	w.writeLine("for i := range *in {")
	if isReference(t.Elem) {
		w.writeLine("if (*in)[i] != nil {")
		w.writeLine("in, out := &(*in)[i], &(*out)[i]")
		w.writeReference(t.Elem)
		w.writeLine("}")
	} else {
		w.writeLine("(*in)[i].DeepCopyInto(&(*out)[i])")
	}
	w.writeLine("}")
}

// writeValues writes the copy of the values of a map.
func (w *copyWriter) writeValues(elem *gomodel.GoType) {
	w.writeLine("for key, val := range *in {")
	switch {
	case isReference(elem):
		w.writeLine("var outVal ", w.typeSyntax(underlyingType(elem)))
		w.writeLine("if val == nil {")
		w.writeLine("(*out)[key] = nil")
		w.writeLine("} else {")
		w.writeLine("inVal := (*in)[key]")
		w.writeLine("in, out := &inVal, &outVal")
		w.writeReference(elem)
		w.writeLine("}")
		w.writeLine("(*out)[key] = outVal")
	case elem.Copy == kubetypes.CopyAssign:
		w.writeLine("(*out)[key] = val")
	case elem.Copy == kubetypes.CopyValue:
		w.writeLine("(*out)[key] = val.DeepCopy()")
	default:
		w.writeLine("(*out)[key] = *val.DeepCopy()")
	}
	w.writeLine("}")
}

// typeSyntax returns a type as Go source. It adds the imports that the source needs.
func (w *copyWriter) typeSyntax(t *gomodel.GoType) string {
	switch t.Shape {
	case gomodel.Pointer:
		return "*" + w.typeSyntax(t.Elem)
	case gomodel.List:
		return "[]" + w.typeSyntax(t.Elem)
	case gomodel.Map:
		return "map[string]" + w.typeSyntax(t.Elem)
	}
	if t.Package == "" {
		return t.Name
	}
	w.aliases.called[t.Package] = t.PackageName
	return w.aliases.aliasFor(t.Package) + "." + t.Name
}
