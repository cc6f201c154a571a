package scaffold

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/tree"
)

// lostNames are the names that generated Go files have declared so far and will no longer declare,
// by folder.
type lostNames map[string]map[string]bool

// brokenFiles returns the author's files that use such a name, and so will not compile.
func (r *renames) brokenFiles() []string {
	if r.lost == nil {
		r.lost = r.lookUpLost()
	}
	var found []string
	for _, f := range authorsFiles(r.tree, ".") {
		if r.lost.usedBy(f, r.project.Module) {
			found = append(found, f.path)
		}
	}
	return found
}

func (r *renames) lookUpLost() lostNames {
	lost := lostNames{}
	for file := range r.before.Files {
		content, err := tree.ReadRegularFile(r.tree, file)
		if err != nil || path.Ext(file) != ".go" {
			continue // Diff reports it
		}
		lost.add(path.Dir(file), namesIn(content))
	}
	for _, f := range r.Files() {
		if f.Owner != tree.Generated || path.Ext(f.Path) != ".go" {
			continue
		}
		content, err := f.Rendered()
		if err != nil {
			continue // Diff reports it
		}
		for _, name := range namesIn(content) {
			delete(lost[path.Dir(f.Path)], name)
		}
	}
	return lost
}

func (l lostNames) add(folder string, names []string) {
	if l[folder] == nil {
		l[folder] = map[string]bool{}
	}
	for _, name := range names {
		l[folder][name] = true
	}
}

// namesIn returns the names that Go code declares, and none if it cannot be parsed.
func namesIn(content []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return declaredIn(file).all()
}

// usedBy reports whether a file uses a lost name of its folder or of a folder that it imports.
func (l lostNames) usedBy(f authorsFile, module string) bool {
	imported := map[string]map[string]bool{} // by the names of packages in the file
	for importPath, name := range f.imports() {
		if folder, inside := strings.CutPrefix(importPath, module+"/"); inside {
			imported[name] = l[folder]
		}
	}
	used, own := false, l[path.Dir(f.path)]
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && imported[pkg.Name][n.Sel.Name] {
				used = true
			}
			ast.Inspect(n.X, func(x ast.Node) bool {
				if ident, ok := x.(*ast.Ident); ok && own[ident.Name] {
					used = true
				}
				return !used
			})
			return false
		case *ast.Ident:
			used = used || own[n.Name]
		}
		return !used
	})
	return used
}

// authorsFile is a Go file of the author.
type authorsFile struct {
	path   string
	syntax *ast.File
}

// imports returns the import paths of a file, with the names of the packages in it.
func (f authorsFile) imports() map[string]string {
	imports := map[string]string{}
	for _, spec := range f.syntax.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		imports[importPath] = path.Base(importPath)
		if spec.Name != nil {
			imports[importPath] = spec.Name.Name
		}
	}
	return imports
}

// authorsFiles parses the hand-written Go files of a folder and of those below it, in the order of
// their paths. It skips files that cannot be parsed, because the result is only used for advice.
func authorsFiles(files fs.FS, folder string) []authorsFile {
	var found []authorsFile
	_ = fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || tree.IsGeneratedName(name):
			return nil
		}
		if content, err := fs.ReadFile(files, name); err == nil {
			if syntax, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution); err == nil {
				found = append(found, authorsFile{name, syntax})
			}
		}
		return nil
	})
	return found
}
