package scaffold

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/opgen-dev/opgen/internal/tree"
)

// keepDeepCopies keeps files with deepcopy code in which controller-gen has generated the same code. What precedes the
// package clause, the names and the order of imports, comments, and the order of functions may differ: a formatter of the
// author's may have changed them.
func (a *authoredReader) keepDeepCopies(code map[string][]byte) {
	for _, pkg := range a.packages {
		old, err := fs.ReadFile(a.tree, path.Join(pkg.Dir, deepCopyFile))
		if err == nil && tree.ByControllerGen(old) && code[pkg.ImportPath] != nil && doSame(old, code[pkg.ImportPath]) {
			code[pkg.ImportPath] = old
		}
	}
}

// doSame reports whether two Go files do the same: the same declarations, with the same imports behind their names. It
// reports false for a file that is no Go.
func doSame(a, b []byte) bool {
	meansA, meansB := declarationsOf(a), declarationsOf(b)
	return meansA != nil && slices.Equal(meansA, meansB)
}

// declarationsOf returns the declarations of a Go file but for its imports, sorted, without comments, and with the path of an
// import in the place of its name. It returns nil for a file that is no Go.
func declarationsOf(source []byte) []string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	paths := map[string]string{}
	for _, imported := range file.Imports {
		importPath, _ := strconv.Unquote(imported.Path.Value) // the parser has checked it
		name := path.Base(importPath)
		if imported.Name != nil {
			name = imported.Name.Name
		}
		paths[name] = importPath
	}
	means := []string{"package " + file.Name.Name}
	for _, decl := range file.Decls {
		if general, ok := decl.(*ast.GenDecl); ok && general.Tok == token.IMPORT {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if ident, ok := selector.X.(*ast.Ident); ok && paths[ident.Name] != "" {
					ident.Name = strconv.Quote(paths[ident.Name])
				}
			}
			return true
		})
		var text bytes.Buffer
		if err := format.Node(&text, token.NewFileSet(), decl); err != nil {
			return nil
		}
		means = append(means, text.String())
	}
	slices.Sort(means)
	return means
}
