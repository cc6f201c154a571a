package project

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// checkModule returns a problem if go.mod of the project names another module than opgen.yaml: no
// code would find the packages that opgen generates. A project may have no go.mod of its own. check
// reports one that cannot be parsed.
func checkModule(files fs.FS, p *spec.Project) (spec.Problems, error) {
	if p == nil { // opgen.yaml has errors
		return nil, nil
	}
	text, err := fs.ReadFile(files, "go.mod")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError("go.mod", err)
	}
	module := modfile.ModulePath(text)
	if module == "" || module == p.Module {
		return nil, nil
	}
	naming, err := filesNaming(files, module, p.Module)
	if err != nil {
		return nil, err
	}
	return spec.Problems{{
		Pos: p.At["module"], Path: "module",
		Message: fmt.Sprintf("%q is another module than that of go.mod, %q", p.Module, module),
		Hint: fmt.Sprintf("for %s, change: %s\n    for %s, change: %s",
			p.Module, strings.Join(naming[module], ", "), module, strings.Join(append([]string{FileName}, naming[p.Module]...), ", ")),
	}}, nil
}

// filesNaming returns, for each of some modules, the author's files that name it: the module files,
// and the Go files that import its packages.
func filesNaming(files fs.FS, modules ...string) (map[string][]string, error) {
	naming := map[string][]string{}
	for _, name := range []string{"go.mod", "tools.mod"} {
		if text, err := fs.ReadFile(files, name); err == nil {
			module := modfile.ModulePath(text)
			naming[module] = append(naming[module], name)
		}
	}
	err := gomarkers.WalkFiles(files, func(name string) error {
		if tree.IsGeneratedName(name) {
			return nil
		}
		source, err := fs.ReadFile(files, name)
		for _, module := range importedModules(source, modules) {
			naming[module] = append(naming[module], name)
		}
		return err
	})
	return naming, err
}

// importedModules returns those of some modules that a Go file imports packages of. A package is of
// the module with the longest path.
func importedModules(source []byte, modules []string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var imported []string
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		longest := ""
		for _, module := range modules {
			if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(longest) {
				longest = module
			}
		}
		if longest != "" && !slices.Contains(imported, longest) {
			imported = append(imported, longest)
		}
	}
	return imported
}
