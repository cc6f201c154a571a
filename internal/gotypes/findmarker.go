package gotypes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// FindMarker returns the position of a marker above the declaration of a type in a folder of a tree,
// and whether there is one. It only parses files, so that it works while the code does not compile.
func FindMarker(tree fs.FS, dir, typeName, marker string) (spec.Pos, bool) {
	names, err := fs.Glob(tree, path.Join(dir, "*.go"))
	if err != nil {
		return spec.Pos{}, false
	}
	for _, name := range names {
		source, err := fs.ReadFile(tree, name)
		if err != nil || !strings.Contains(string(source), marker) {
			continue
		}
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, c := range commentsAbove(file, typeName) {
			if c.text == marker {
				at := fset.Position(c.at)
				return spec.Pos{File: name, Line: at.Line, Column: at.Column}, true
			}
		}
	}
	return spec.Pos{}, false
}

// commentsAbove returns the markers of the declaration of a type in a file.
func commentsAbove(file *ast.File, typeName string) []comment {
	from := file.Name.End()
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if ok && general.Tok == token.TYPE && len(general.Specs) == 1 && general.Specs[0].(*ast.TypeSpec).Name.Name == typeName {
			return commentsIn(file, from, general.Specs[0].Pos())
		}
		from = decl.End()
	}
	return nil
}
