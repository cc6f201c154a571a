package templates

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// Types renders zz_generated.types.go of a package: its kinds and all types that their schemas
// need.
func Types(pkg gomodel.Package) ([]byte, error) {
	return renderGo("goapi/types.go", typesView{pkg})
}

// AuthoredTypes renders <kind>_types.go of a package: the same types as a start for an author, who
// owns the file afterwards.
func AuthoredTypes(pkg gomodel.Package) ([]byte, error) {
	return renderGo("goapi/authored.go", typesView{pkg})
}

// Register renders zz_generated.register.go of a package. It adds the kinds to a scheme that
// hand-written files do not add.
func Register(pkg gomodel.Package) ([]byte, error) {
	if pkg.IsByHand() {
		return renderGo("goapi/registered.go", registeredView{pkg})
	}
	return renderGo("goapi/register.go", pkg)
}

// registeredView is a package of whose kinds some are registered by hand.
type registeredView struct{ gomodel.Package }

// RegistrationImports returns the imports of the added kinds, sorted by path.
func (v registeredView) RegistrationImports() (imports []gomodel.Import) {
	add := func(path, alias string) { imports = append(imports, gomodel.Import{Path: path, Alias: alias}) }
	adds, makesBuilder := len(v.Registered()) > 0, v.Generates("SchemeBuilder")
	if adds {
		add("k8s.io/apimachinery/pkg/apis/meta/v1", "metav1")
	}
	if adds || makesBuilder && v.Registration.ByFunctions {
		add("k8s.io/apimachinery/pkg/runtime", "")
	}
	if v.Generates("GroupVersion") || v.Generates("Resource") {
		add("k8s.io/apimachinery/pkg/runtime/schema", "")
	}
	if makesBuilder && !v.Registration.ByFunctions {
		add("sigs.k8s.io/controller-runtime/pkg/scheme", "")
	}
	return imports
}

// DeepCopy renders zz_generated.deepcopy.go of a package. It is exactly the code that
// controller-gen's object generator writes, but made without loading the package.
func DeepCopy(pkg gomodel.Package) ([]byte, error) {
	return renderGo("goapi/deepcopy.go", newDeepCopyView(pkg))
}

// typesView is a package whose types can be printed.
type typesView struct{ gomodel.Package }

// Types returns the declarations.
func (v typesView) Types() []typeView {
	var views []typeView
	for _, t := range v.Package.Types {
		views = append(views, typeView{t})
	}
	return views
}

// HasPointers reports whether a field of a type is a pointer.
func (v typesView) HasPointers() bool {
	isPointer := func(f gomodel.Field) bool { return f.Type != nil && f.Type.Shape == gomodel.Pointer }
	return slices.ContainsFunc(v.Package.Types, func(t gomodel.Type) bool { return slices.ContainsFunc(t.Fields, isPointer) })
}

// KeepsUnknown reports whether a type keeps fields that are not in its schema.
func (v typesView) KeepsUnknown() bool {
	return slices.ContainsFunc(v.Package.Types, func(t gomodel.Type) bool { return t.Unknown != "" })
}

// KeepsNulls reports whether a type distinguishes null from an absent field.
func (v typesView) KeepsNulls() bool {
	return slices.ContainsFunc(v.Package.Types, func(t gomodel.Type) bool { return t.Nulls != "" })
}

// TypeImports returns the imports of the declarations and of their methods, sorted by path.
func (v typesView) TypeImports() []gomodel.Import {
	all := slices.Clone(v.Imports)
	if v.KeepsNulls() {
		all = append(all, gomodel.Import{Alias: "encodingjson", Path: "encoding/json"})
	}
	if v.KeepsUnknown() || v.KeepsNulls() {
		all = append(all, gomodel.Import{Path: "k8s.io/apimachinery/pkg/util/json"})
	}
	slices.SortFunc(all, func(a, b gomodel.Import) int { return strings.Compare(a.Path, b.Path) })
	return all
}

type typeView struct{ gomodel.Type }

// Kept returns what a type keeps besides its fields, for its comment.
func (v typeView) Kept() string {
	switch {
	case v.Nulls == "":
		return "those that the schema does not name"
	case v.Unknown == "":
		return "which of them are null"
	default:
		return "which of them are null, and those that the schema does not name"
	}
}

// Known returns the names of the fields in the schema.
func (v typeView) Known() []string {
	var names []string
	for _, f := range v.Type.Fields {
		switch name, _, _ := strings.Cut(f.Tag, ","); name {
		case "-":
		case "":
			names = append(names, "apiVersion", "kind") // of the embedded TypeMeta
		default:
			names = append(names, name)
		}
	}
	return names
}

// Markers returns the markers as comment lines. They are separated from the doc comment by an empty
// line, because gofmt rewrites doc comments: it turns two apostrophes into one quotation mark.
func (v typeView) Markers() string { return commentLines("", v.Type.Markers) }

// Doc returns the doc comment.
func (v typeView) Doc() string { return commentLines("", v.Type.Doc) }

// Fields returns the fields of a struct.
func (v typeView) Fields() []fieldView {
	var views []fieldView
	for _, f := range v.Type.Fields {
		views = append(views, fieldView{f})
	}
	return views
}

type fieldView struct{ gomodel.Field }

// Comment returns the doc comment of a field and its markers. They are indented already, because
// gofmt rewrites comments in the first column.
func (v fieldView) Comment() string { return commentLines("\t", v.Doc) + commentLines("\t", v.Markers) }

// commentLines returns lines as a comment, with a line break after each.
func commentLines(indent string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(indent + strings.TrimRight("// "+line, " ") + "\n")
	}
	return b.String()
}
