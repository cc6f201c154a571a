package project

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Modules are the versions of the Go modules that a module requires, by path. Nil has none.
type Modules map[string]string

// ModulesAt returns the modules that the Go module of a folder, or of the closest one above it,
// requires, and the file that says so. It returns none if there is no module or none that can be
// read.
func ModulesAt(dir string) (required Modules, file string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, ""
	}
	if dir = moduleFolder(dir); dir == "" {
		return nil, ""
	}
	file = filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, ""
	}
	parsed, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, ""
	}
	required = Modules{}
	for _, r := range parsed.Require {
		required[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range parsed.Replace {
		if _, found := required[r.Old.Path]; found && r.New.Version != "" && (r.Old.Version == "" || r.Old.Version == required[r.Old.Path]) {
			required[r.Old.Path] = r.New.Version
		}
	}
	return required, file
}

// Of returns the path of the module that has a package. It returns the import path if none of the
// required modules has it.
func (m Modules) Of(importPath string) string {
	module := ""
	for path := range m {
		if (importPath == path || strings.HasPrefix(importPath, path+"/")) && len(path) > len(module) {
			module = path
		}
	}
	if module == "" {
		return importPath
	}
	return module
}
