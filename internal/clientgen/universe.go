package clientgen

import (
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/gengo/v2/types"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// newUniverse returns the types of API packages, and those of Kubernetes that they consist of, as
// the generators would have parsed them. Types that an author owns come from their source: authored
// has these packages by import path.
func newUniverse(groups []group, authored map[string]*packages.Package) types.Universe {
	u := universe{Universe: types.Universe{}, standIns: map[string]string{}}
	addReflected[metav1.TypeMeta](u)
	addReflected[metav1.ObjectMeta](u)
	for _, g := range groups {
		for _, v := range g.versions {
			u.standIns[v.ImportPath] = v.path
		}
	}
	newAuthoredTypes(u, groups, authored).addTypes() // first, because the source knows more of the types of Kubernetes that it names
	for _, g := range groups {
		for _, v := range g.versions {
			u.addVersion(g, v)
		}
	}
	return u.Universe
}

// universe is a types.Universe under construction.
type universe struct {
	types.Universe
	standIns map[string]string // import paths of the groups' packages → what stands for them
}

// addVersion adds the types of a version's package.
func (u universe) addVersion(g group, v version) {
	pkg := u.Package(v.path)
	pkg.Name = v.Name
	pkg.Comments = []string{"+groupName=" + g.name, "+groupGoName=" + g.goName}
	for _, declared := range v.Types {
		t := pkg.Type(declared.Name)
		t.SecondClosestCommentLines = clientMarkers(declared.Markers)
		t.CommentLines = withoutMarkers(declared.Doc)
		if declared.Of != nil {
			t.Kind, t.Underlying = types.Alias, u.typeOf(v, declared.Of)
			continue
		}
		t.Kind = types.Struct
		for _, f := range declared.Fields {
			t.Members = append(t.Members, u.memberOf(v, f))
		}
	}
}

// memberOf returns a field of a struct.
func (u universe) memberOf(v version, f gomodel.Field) types.Member {
	m := types.Member{
		Name: f.Name, Tags: `json:"` + f.Tag + `"`,
		CommentLines: withoutMarkers(f.Doc), Type: u.typeOf(v, f.Type),
	}
	if f.Name == "" {
		m.Name, m.Embedded = f.Type.Name, true
	}
	return m
}

// typeOf returns the type of a field.
func (u universe) typeOf(v version, t *gomodel.GoType) *types.Type {
	switch t.Shape {
	case gomodel.Pointer:
		return u.anonymousType("*", types.Pointer, u.typeOf(v, t.Elem))
	case gomodel.List:
		return u.anonymousType("[]", types.Slice, u.typeOf(v, elementType(t)))
	case gomodel.Map:
		m := u.anonymousType("map[string]", types.Map, u.typeOf(v, elementType(t)))
		m.Key = types.String
		return m
	}
	switch {
	case t.Package != "":
		return u.foreignType(t)
	case unicode.IsLower(rune(t.Name[0])): // a builtin
		return u.Type(types.Name{Name: t.Name})
	default:
		return u.Type(types.Name{Package: v.path, Name: t.Name}) // addVersion fills it in
	}
}

// elementType returns the type of the items of a list or the values of a map. A nullable element is
// a pointer in the API's types but not here, because the generators' setters would not compile with
// it.
func elementType(of *gomodel.GoType) *gomodel.GoType {
	if of.Elem.Shape == gomodel.Pointer {
		return of.Elem.Elem
	}
	return of.Elem
}

// foreignType returns a type of another package. Of such types the generators only need to know
// whether they are structs.
func (u universe) foreignType(t *gomodel.GoType) *types.Type {
	if standIn, own := u.standIns[t.Package]; own {
		return u.Type(types.Name{Package: standIn, Name: t.Name}) // addVersion or the source fills it in
	}
	out := u.Type(types.Name{Package: t.Package, Name: t.Name})
	switch {
	case out.Kind != types.Unknown:
	case t.Form == kubetypes.Struct:
		out.Kind = types.Struct
	default:
		out.Kind, out.Underlying = types.Alias, types.String
	}
	return out
}

// anonymousType returns a type that consists of another one, under the name that go/types gives it.
func (u universe) anonymousType(prefix string, kind types.Kind, elem *types.Type) *types.Type {
	t := u.Type(types.Name{Name: prefix + elem.Name.String()})
	t.Kind, t.Elem = kind, elem
	return t
}

// clientMarkers returns the markers that the generators read.
func clientMarkers(markers []string) []string {
	var lines []string
	for _, line := range markers {
		if spec.IsClientMarker(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// withoutMarkers returns the lines of a doc comment without lines that the generators would take
// for markers, which descriptions may contain, and without the dashes that end a description for
// controller-gen.
func withoutMarkers(doc []string) []string {
	var lines []string
	for _, line := range doc {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") && line != "---" {
			lines = append(lines, line)
		}
	}
	return lines
}
