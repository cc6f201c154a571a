package gomodel

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Packages returns the Go packages of APIs, one for each group version, sorted by Dir. They must be
// all APIs of their groups, and CRD must have accepted them.
func Packages(p *spec.Project, apis []*spec.API) ([]Package, spec.Problems) {
	var packages []Package
	var problems spec.Problems
	for _, group := range groupVersions(apis) {
		b := newPackageBuilder(newPackage(p, group[0].api.Group, group[0].version.Name), group)
		packages = append(packages, b.build())
		problems = append(problems, b.problems...)
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Dir, b.Dir) })
	return packages, problems
}

// kindVersion is one version of an API.
type kindVersion struct {
	api     *spec.API
	version *spec.Version
}

// groupVersions groups the versions of the APIs by package, in the order of the APIs.
func groupVersions(apis []*spec.API) [][]kindVersion {
	var groups [][]kindVersion
	at := map[string]int{}
	for _, api := range apis {
		for i := range api.Versions {
			v := &api.Versions[i]
			key := api.Group + "/" + v.Name
			n, found := at[key]
			if !found {
				n = len(groups)
				at[key], groups = n, append(groups, nil)
			}
			groups[n] = append(groups[n], kindVersion{api, v})
		}
	}
	return groups
}

// newPackage names the package of a group version.
func newPackage(p *spec.Project, group, version string) Package {
	return Package{
		Name: version, Dir: PackageDir(p, group, version), ImportPath: ImportPath(p, group, version),
		Group: group, Version: version, Clients: p.Clients,
	}
}

func newPackageBuilder(pkg Package, kinds []kindVersion) *packageBuilder {
	return &packageBuilder{
		kinds: kinds, pkg: pkg, names: nameSet{},
		used: map[*spec.NamedType]*declaredType{}, outsideStatus: usedOutsideStatus(kinds), hasCrossFieldRules: usedBelowCrossFieldRules(kinds),
	}
}

// PackageDir returns the folder of the Go package of a group version, relative to the project.
func PackageDir(p *spec.Project, group, version string) string {
	if p.Multigroup {
		return path.Join("api", GroupFolder(p, group), version)
	}
	return path.Join("api", version)
}

// ImportPath returns the import path of the Go package of a group version.
func ImportPath(p *spec.Project, group, version string) string {
	return path.Join(p.Module, PackageDir(p, group, version))
}

// GroupFolder returns the name of a group's folder.
func GroupFolder(p *spec.Project, group string) string { return shortGroup(group, p.Domain) }

// shortGroup removes the project's domain from a group: demo for demo.example.com. It keeps the
// whole group if the rest would be a folder with a meaning in Go, such as internal.
func shortGroup(group, domain string) string {
	short, found := strings.CutSuffix(group, "."+domain)
	if found && domain != "" && !slices.Contains([]string{"internal", "vendor", "testdata"}, short) {
		return short
	}
	return group
}

// Aliases returns the import aliases of the packages of a project by group version, such as
// demo.example.com/v1: the first label of the group and the version, such as demov1. It is the whole
// group if two packages would have the same alias.
func Aliases(apis []*spec.Summary) map[string]string {
	versions := map[string]schema.GroupVersion{}
	for _, api := range apis {
		for _, v := range api.Versions {
			version := schema.GroupVersion{Group: api.Group, Version: v.Name}
			versions[version.String()] = version
		}
	}
	count := map[string]int{}
	for _, v := range versions {
		count[importAlias(firstLabel(v.Group), v.Version)]++
	}
	aliases := map[string]string{}
	for name, v := range versions {
		aliases[name] = importAlias(firstLabel(v.Group), v.Version)
		if count[aliases[name]] > 1 {
			aliases[name] = importAlias(v.Group, v.Version)
		}
	}
	return aliases
}

func firstLabel(group string) string {
	label, _, _ := strings.Cut(group, ".")
	return label
}

// importAlias returns the letters and digits of a group, followed by the version. It puts an x in
// front if the result would begin with a digit.
func importAlias(group, version string) string {
	name := strings.NewReplacer("-", "", ".", "").Replace(group) + version
	if name[0] >= '0' && name[0] <= '9' {
		return "x" + name
	}
	return name
}
