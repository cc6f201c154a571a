package project

import (
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Module is the Go module that a project is, or that it is a folder of.
type Module struct {
	Dir string // of go.mod; that of the project if there is none
	// Path is the module path, and Above the same if go.mod is in a folder above the project. Both are
	// empty if there is no go.mod.
	Path, Above string
	Project     string // the import path of the project's folder
}

// ModuleOf returns the module of the project in a folder, given the import path of that folder. A
// module above in which the folder has another import path is not that of the project.
func ModuleOf(dir, importPath string) Module {
	if module := moduleAt(dir); module.Above == "" || module.Project == importPath {
		return module
	}
	return Module{Dir: dir}
}

// moduleAt returns the module that a folder is in.
func moduleAt(dir string) Module {
	root := moduleFolder(dir)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if root == "" || err != nil {
		return Module{Dir: dir}
	}
	module := Module{Dir: root, Path: modfile.ModulePath(text)}
	below, _ := filepath.Rel(root, dir) // cannot fail, since root is dir or a folder above
	module.Project = path.Join(module.Path, filepath.ToSlash(below))
	if root != dir {
		module.Above = module.Path
	}
	return module
}
