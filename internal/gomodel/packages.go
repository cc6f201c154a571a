package gomodel

import (
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Packages returns the Go packages of a project's APIs, one for each group version, sorted by Dir.
// The APIs must have none of the errors that CRD reports. A package with an outline gets the names
// of its kinds from there, and no Types.
func Packages(p *spec.Project, apis []*spec.API, outlines ...Outline) ([]Package, spec.Problems) {
	var packages []Package
	var problems spec.Problems
	for _, group := range groupVersions(apis) {
		pkg := newPackage(p, group)
		if known := outlineOf(pkg, outlines); known != nil {
			packages = append(packages, known.fill(pkg, group))
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

// groupVersions puts the versions of the APIs together that share a package, in the order of the
// APIs.
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

// PackageDir returns the folder of the Go package of a group version, from the project's root.
func PackageDir(p *spec.Project, group, version string) string {
	if p.Multigroup {
		return path.Join("api", GroupFolder(p, group), version)
	}
	return path.Join("api", version)
}

// GroupFolder returns what the folder of a group is called.
func GroupFolder(p *spec.Project, group string) string { return shortGroup(group, p.Domain) }

// shortGroup drops the project's own domain from a group, unless Go means something by a folder of
// the name that is left.
func shortGroup(group, domain string) string {
	short, found := strings.CutSuffix(group, "."+domain)
	if found && domain != "" && !slices.Contains([]string{"internal", "vendor", "testdata"}, short) {
		return short
	}
	return group
}

// Aliases returns what other packages import the packages of APIs as, by their group versions, such
// as demo.example.com/v1.
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

// setAliases gives every package the first label of its group and its version as alias, or the
// whole group where two packages would get the same.
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

// importAliasOf joins the letters and digits of a group with a version; an identifier cannot begin
// with a digit.
func importAliasOf(p Package, group string) string {
	name := strings.NewReplacer("-", "", ".", "").Replace(group) + p.Version
	if name[0] >= '0' && name[0] <= '9' {
		return "x" + name
	}
	return name
}
