package templates

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// deepCopyView is a package with the bodies of its DeepCopyInto methods written, types sorted by name.
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
	for _, t := range pkg.Types { // in this order, which decides who gets the shorter alias
		if t.Of != nil && t.Of.Shape == gomodel.Name {
			continue // a scalar
		}
		w := copyWriter{aliases: aliases}
		copied := copiedType{Name: t.Name, Receiver: "*" + t.Name, Object: t.Object}
		if t.Of == nil {
			w.structBody(t.Fields)
		} else {
			copied.Receiver, copied.Reference = t.Name, true
			w.line("{")
			w.line("in := &in")
			w.elements(t.Of, t.Name)
			w.line("}")
		}
		copied.Body = w.String()
		if t.Object {
			copied.Runtime = aliases.need("k8s.io/apimachinery/pkg/runtime")
		}
		view.Types = append(view.Types, copied)
	}
	slices.SortFunc(view.Types, func(a, b copiedType) int { return strings.Compare(a.Name, b.Name) })
	view.Imports = aliases.imports()
	return view
}

// copyWriter writes statements that copy what in points to into what out points to.
type copyWriter struct {
	strings.Builder
	aliases *copyAliases
}

func (w *copyWriter) line(parts ...string) {
	for _, part := range parts {
		w.WriteString(part)
	}
	w.WriteByte('\n')
}

// structBody copies a struct: at once, then again whatever holds a reference.
func (w *copyWriter) structBody(fields []gomodel.Field) {
	w.line("*out = *in")
	for _, f := range fields {
		name := f.Name
		if name == "" {
			name = f.Type.Name // embedded
		}
		w.field(name, f.Type)
	}
}

func (w *copyWriter) field(name string, t *gomodel.GoType) {
	if isReference(t) {
		w.line("if in.", name, " != nil {")
		w.line("in, out := &in.", name, ", &out.", name)
		w.reference(t)
		w.line("}")
		return
	}
	switch {
	case t.Form == kubetypes.Scalar:
	case t.Copy == kubetypes.CopyAssign:
		w.line("out.", name, " = in.", name)
	case t.Copy == kubetypes.CopyValue:
		w.line("out.", name, " = in.", name, ".DeepCopy()")
	default:
		w.line("in.", name, ".DeepCopyInto(&out.", name, ")")
	}
}

// isReference reports whether a value of the type may be nil.
func isReference(t *gomodel.GoType) bool {
	return t.Shape != gomodel.Name || t.Copy == kubetypes.CopyElements
}

// reference copies a pointer, list or map that is not nil.
func (w *copyWriter) reference(t *gomodel.GoType) {
	if t.Shape == gomodel.Pointer {
		w.pointer(t.Elem)
		return
	}
	w.elements(underlyingType(t), w.syntax(t))
}

// underlyingType returns the list or map that a name stands for.
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

func (w *copyWriter) pointer(elem *gomodel.GoType) {
	switch elem.Copy {
	case kubetypes.CopyValue:
		w.line("x := (*in).DeepCopy()")
		w.line("*out = &x")
	case kubetypes.CopyPointer:
		w.line("*out = (*in).DeepCopy()")
	case kubetypes.CopyAssign:
		w.line("*out = new(", w.syntax(elem), ")")
		w.line("**out = **in")
	default:
		w.line("*out = new(", w.syntax(elem), ")")
		w.line("(*in).DeepCopyInto(*out)")
	}
}

// elements copies a list or map; name is what its type is called.
func (w *copyWriter) elements(t *gomodel.GoType, name string) {
	w.line("*out = make(", name, ", len(*in))")
	if t.Shape == gomodel.Map {
		w.values(t.Elem)
		return
	}
	if !isReference(t.Elem) && t.Elem.Copy == kubetypes.CopyAssign {
		w.line("copy(*out, *in)")
		return
	}
	w.line("for i := range *in {")
	if isReference(t.Elem) {
		w.line("if (*in)[i] != nil {")
		w.line("in, out := &(*in)[i], &(*out)[i]")
		w.reference(t.Elem)
		w.line("}")
	} else {
		w.line("(*in)[i].DeepCopyInto(&(*out)[i])")
	}
	w.line("}")
}

// values copies the values of a map.
func (w *copyWriter) values(elem *gomodel.GoType) {
	w.line("for key, val := range *in {")
	switch {
	case isReference(elem):
		w.line("var outVal ", w.syntax(underlyingType(elem)))
		w.line("if val == nil {")
		w.line("(*out)[key] = nil")
		w.line("} else {")
		w.line("inVal := (*in)[key]")
		w.line("in, out := &inVal, &outVal")
		w.reference(elem)
		w.line("}")
		w.line("(*out)[key] = outVal")
	case elem.Copy == kubetypes.CopyAssign:
		w.line("(*out)[key] = val")
	case elem.Copy == kubetypes.CopyValue:
		w.line("(*out)[key] = val.DeepCopy()")
	default:
		w.line("(*out)[key] = *val.DeepCopy()")
	}
	w.line("}")
}

// syntax returns a type as source, importing what it needs.
func (w *copyWriter) syntax(t *gomodel.GoType) string {
	switch t.Shape {
	case gomodel.Pointer:
		return "*" + w.syntax(t.Elem)
	case gomodel.List:
		return "[]" + w.syntax(t.Elem)
	case gomodel.Map:
		return "map[string]" + w.syntax(t.Elem)
	}
	if t.Package == "" {
		return t.Name
	}
	w.aliases.called[t.Package] = t.PackageName
	return w.aliases.need(t.Package) + "." + t.Name
}
