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
	// path stands for the package's import path while the generators run. They name folders after
	// the last two elements of a package's path and take them to be group and version, but in a
	// project of one group that is api/<version>. The collector puts the real path back.
	path string
}

// standIn starts the paths that stand for import paths. It cannot be the path of a package.
const standIn = "opgen.invalid/api/"

// groupsOf sorts packages by group and version, and names the groups.
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

// newGroup names a group after its first label, or after all of it where another group has the same
// first label, or where the generated code means something else by that name.
func newGroup(name string, short map[string][]string) group {
	label, _, _ := strings.Cut(name, ".")
	goName := spec.GoName(label)
	if folder := strings.ToLower(goName); len(short[goName]) > 1 || token.IsKeyword(folder) || slices.Contains(takenNames, folder) {
		goName = spec.GoName(name)
	}
	return group{name: name, goName: goName, folder: strings.ToLower(goName)}
}

// takenNames are the folders that Go means something by, and the methods that every informer
// factory has.
var takenNames = []string{"internal", "vendor", "testdata", "main", "start", "shutdown", "startwithcontext"}

// clientPlural is what the clients call several objects of a kind: EchoServers(namespace). A kind
// whose clients would be called like a package that their code imports gets another name.
func clientPlural(kind string) string {
	name := spec.GoPlural(kind)
	if slices.Contains([]string{"Types", "Context", "Watch", "Gentype", "Scheme", "Rest", "Http"}, name) {
		return kind + "Objects"
	}
	return name
}

// pluralExceptions tells the generators what plural says, in the form that they want.
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

// kindNames are the kinds that are called otherwise in Kubernetes than in Go.
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
