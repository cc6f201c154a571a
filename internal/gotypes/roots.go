package gotypes

import (
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// rootSet are the packages that the go command was asked for, by import path.
type rootSet map[string]*loader.Package

// eachPackage calls a function for each package and those that it imports.
func (r rootSet) eachPackage(visit func(*packages.Package)) {
	var raw []*packages.Package
	for _, path := range sortedKeys(r) {
		raw = append(raw, r[path].Package)
	}
	packages.Visit(raw, func(pkg *packages.Package) bool { visit(pkg); return true }, nil)
}

// countErrors returns how many errors each package has, to be compared after the next step.
func (r rootSet) countErrors() map[*packages.Package]int {
	counts := map[*packages.Package]int{}
	r.eachPackage(func(pkg *packages.Package) { counts[pkg] = len(pkg.Errors) })
	return counts
}

// errorsSince returns the errors that packages got after they were counted.
func (r rootSet) errorsSince(before map[*packages.Package]int) []packages.Error {
	var added []packages.Error
	r.eachPackage(func(pkg *packages.Package) {
		for _, err := range pkg.Errors[before[pkg]:] {
			if err.Kind != packages.TypeError { // type errors are about what is not needed and so was not loaded
				added = append(added, err)
			}
		}
	})
	return added
}

// find returns the package with an import path from the roots and their imports, nil if there is
// none.
func (r rootSet) find(importPath string) *loader.Package {
	seen := map[*loader.Package]bool{}
	var find func(pkg *loader.Package) *loader.Package
	find = func(pkg *loader.Package) *loader.Package {
		if pkg.PkgPath == importPath {
			return pkg
		}
		seen[pkg] = true
		for _, imported := range pkg.Imports() {
			if seen[imported] {
				continue
			}
			if found := find(imported); found != nil {
				return found
			}
		}
		return nil
	}
	for _, root := range r {
		if found := find(root); found != nil {
			return found
		}
	}
	return nil
}
