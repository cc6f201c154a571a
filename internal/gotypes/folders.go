package gotypes

import (
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// Folders are the folders of loaded packages, as absolute paths.
type Folders map[string]bool

// add adds the folders of a package and of everything that it imports.
func (f Folders) add(pkg *packages.Package, seen map[*packages.Package]bool) {
	if f == nil || seen[pkg] {
		return
	}
	seen[pkg] = true
	for _, file := range pkg.GoFiles {
		f[filepath.Dir(file)] = true
	}
	for _, imported := range pkg.Imports {
		f.add(imported, seen)
	}
}
