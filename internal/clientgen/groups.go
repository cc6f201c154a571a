package clientgen

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// group is an API group with its versions.
type group struct {
	name     string // demo.example.com
	goName   string // Demo: the clientset has DemoV1
	folder   string // demo
	versions []version
}

// version is the package of one version of a group.
type version struct {
	gomodel.Package
	// path stands for the package's import path while the generators run. They take the last two
	// elements of an import path for group and version and name folders after them, but a project
	// of one group has the path api/<version>. The collector replaces the stand-in by the real
	// path.
	path string
}

// standIn is the prefix of such stand-ins. No package can have it: .invalid is a reserved domain.
const standIn = "opgen.invalid/api/"

// groupsOf sorts packages by group and version, and gives each group its names.
func groupsOf(packages []gomodel.Package) []group {
	packages = slices.SortedFunc(slices.Values(packages), func(a, b gomodel.Package) int {
		return strings.Compare(a.Group+"/"+a.Version, b.Group+"/"+b.Version)
	})
	short := map[string][]string{} // Go name → the groups that would have it
	for _, pkg := range packages {
		label, _, _ := strings.Cut(pkg.Group, ".")
		if name := spec.GoName(label); !slices.Contains(short[name], pkg.Group) {
			short[name] = append(short[name], pkg.Group)
		}
	}
	var groups []group
	for _, pkg := range packages {
		if n := len(groups); n == 0 || groups[n-1].name != pkg.Group {
			groups = append(groups, newGroup(pkg.Group, short))
		}
		g := &groups[len(groups)-1]
		g.versions = append(g.versions, version{Package: pkg, path: standIn + g.folder + "/" + pkg.Version})
	}
	return groups
}

// newGroup names a group after its first label: demo.example.com is Demo. It uses the whole name if
// another group has the same first label, or if the generated code could not use the short name.
func newGroup(name string, short map[string][]string) group {
	label, _, _ := strings.Cut(name, ".")
	goName := spec.GoName(label)
	if folder := strings.ToLower(goName); len(short[goName]) > 1 || token.IsKeyword(folder) || slices.Contains(takenNames, folder) {
		goName = spec.GoName(name)
	}
	return group{name: name, goName: goName, folder: strings.ToLower(goName)}
}

// takenNames are names that a group's folder cannot have: those with a meaning in Go, and the
// methods of every informer factory.
var takenNames = []string{"internal", "vendor", "testdata", "main", "start", "shutdown", "startwithcontext"}

// clientPlural returns the plural in the names of clients, such as EchoServers. It avoids the names
// of packages that the clients import: the plural of Context is ContextObjects.
func clientPlural(kind string) string {
	name := spec.GoPlural(kind)
	if slices.Contains([]string{"Types", "Context", "Watch", "Gentype", "Scheme", "Rest", "Http"}, name) {
		return kind + "Objects"
	}
	return name
}

// pluralExceptions returns the plurals in the form that the generators expect, Kind:Plural.
func pluralExceptions(groups []group) []string {
	var list []string
	for _, g := range groups {
		for _, v := range g.versions {
			for _, k := range v.Kinds {
				list = append(list, k.Name+":"+clientPlural(k.Name))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// kindNames returns the kinds that have another name in Kubernetes than their Go type has.
func kindNames(groups []group) map[types.Name]string {
	names := map[types.Name]string{}
	for _, g := range groups {
		for _, v := range g.versions {
			for _, k := range v.Kinds {
				if k.Name != k.API.Names.Kind {
					names[types.Name{Package: v.path, Name: k.Name}] = k.API.Names.Kind
				}
			}
		}
	}
	return names
}
