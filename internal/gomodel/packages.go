package gomodel

import (
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Packages returns the Go packages of a project's APIs, one for each group version, sorted by Dir.
// CRD must have accepted the APIs. A package with an outline gets the names of its kinds from
// there, and no Types.
func Packages(p *spec.Project, apis []*spec.API, outlines ...Outline) ([]Package, spec.Problems) {
	var packages []Package
	var problems spec.Problems
	for _, group := range groupVersions(apis) {
		pkg := newPackage(p, group)
		if known := outlineOf(pkg, outlines); known != nil {
			packages = append(packages, known.fillKinds(pkg, group))
			continue
		}
		b := newPackageBuilder(pkg, group)
		packages = append(packages, b.build())
		problems = append(problems, b.problems...)
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Dir, b.Dir) })
	setAliases(packages)
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
func newPackage(p *spec.Project, kinds []kindVersion) Package {
	group, version := kinds[0].api.Group, kinds[0].version.Name
	dir := PackageDir(p, group, version)
	return Package{
		Name: version, Dir: dir, ImportPath: path.Join(p.Module, dir),
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

// Aliases returns the import aliases of the APIs' packages by group version, such as
// demo.example.com/v1.
func Aliases(p *spec.Project, apis []*spec.API) map[string]string {
	var packages []Package
	for _, group := range groupVersions(apis) {
		packages = append(packages, newPackage(p, group))
	}
	setAliases(packages)
	aliases := map[string]string{}
	for _, pkg := range packages {
		aliases[pkg.Group+"/"+pkg.Version] = pkg.Alias
	}
	return aliases
}

// setAliases sets the alias of each package: the first label of its group and its version. It uses
// the whole group if two packages would have the same alias.
func setAliases(packages []Package) {
	count := map[string]int{}
	for _, p := range packages {
		count[importAliasOf(p, firstLabel(p.Group))]++
	}
	for i, p := range packages {
		packages[i].Alias = importAliasOf(p, firstLabel(p.Group))
		if count[packages[i].Alias] > 1 {
			packages[i].Alias = importAliasOf(p, p.Group)
		}
	}
}

func firstLabel(group string) string {
	label, _, _ := strings.Cut(group, ".")
	return label
}

// importAliasOf returns the letters and digits of a group, followed by the version. It puts an x in
// front if the result would begin with a digit.
func importAliasOf(p Package, group string) string {
	name := strings.NewReplacer("-", "", ".", "").Replace(group) + p.Version
	if name[0] >= '0' && name[0] <= '9' {
		return "x" + name
	}
	return name
}
