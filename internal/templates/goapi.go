package templates

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

// Types renders zz_generated.types.go of a package: its kinds and every type that their schemas need.
func Types(pkg crdgen.Package) ([]byte, error) {
	return renderGo("goapi/types.go", typesView{pkg})
}

// AuthoredTypes renders <kind>_types.go of a package: the same types as a start, for an author who owns them.
func AuthoredTypes(pkg crdgen.Package) ([]byte, error) {
	return renderGo("goapi/authored.go", typesView{pkg})
}

// Register renders zz_generated.register.go of a package: what adds its kinds to a scheme.
func Register(pkg crdgen.Package) ([]byte, error) {
	return renderGo("goapi/register.go", pkg)
}

// DeepCopy renders zz_generated.deepcopy.go of a package: the very code that controller-gen's object generator
// makes, without loading the package.
func DeepCopy(pkg crdgen.Package) ([]byte, error) {
	return renderGo("goapi/deepcopy.go", newDeepCopyView(pkg))
}

// typesView is a package with its types ready to be written.
type typesView struct{ crdgen.Package }

// Types returns the declarations.
func (v typesView) Types() []typeView {
	var views []typeView
	for _, t := range v.Package.Types {
		views = append(views, typeView{t})
	}
	return views
}

type typeView struct{ crdgen.Type }

// Markers returns the markers as comment lines. They stand apart from the doc comment, which gofmt would
// rewrite: it makes one quotation mark of two apostrophes.
func (v typeView) Markers() string { return comment("", v.Type.Markers) }

// Doc returns the doc comment.
func (v typeView) Doc() string { return comment("", v.Type.Doc) }

// Fields returns the fields of a struct.
func (v typeView) Fields() []fieldView {
	var views []fieldView
	for _, f := range v.Type.Fields {
		views = append(views, fieldView{f})
	}
	return views
}

type fieldView struct{ crdgen.Field }

// Comment returns the doc comment of a field and its markers. They are indented before gofmt sees them: it
// rewrites comments in the first column.
func (v fieldView) Comment() string { return comment("\t", v.Doc) + comment("\t", v.Markers) }

// comment returns lines as a comment, each with its line end.
func comment(indent string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(indent + strings.TrimRight("// "+line, " ") + "\n")
	}
	return b.String()
}
