package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// docComment is the doc comment of a function, a type, a constant or a variable.
type docComment struct {
	name string
	doc  *ast.CommentGroup
}

// checkDocComments lists the doc comments whose first word is not the name of what they document. Most of them were left
// behind by a rename. An article before the name is allowed: "A reader is …".
func checkDocComments(f file) []string {
	if path.Ext(f.path) != ".go" {
		return nil
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, f.path, f.content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil // the compiler reports what does not parse
	}
	var found []string
	for _, c := range docCommentsOf(parsed, strings.HasSuffix(f.path, "_test.go")) {
		words := strings.Fields(c.doc.Text()) // directives such as //go:embed are no text
		if len(words) == 0 || words[0] == c.name {
			continue
		}
		if article := words[0]; len(words) == 1 || words[1] != c.name || (article != "A" && article != "An" && article != "The") {
			line := set.Position(c.doc.Pos()).Line
			found = append(found, fmt.Sprintf("%s:%d: doc comment of %s: begin it with the name", f.path, line, c.name))
		}
	}
	return found
}

// docCommentsOf returns the doc comments of a file's declarations. It leaves out groups in parentheses, which have a
// comment for all of their names, and tests and examples, whose comments say what has to be true.
func docCommentsOf(f *ast.File, isTest bool) []docComment {
	var all []docComment
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "main" && d.Name.Name != "init" && (!isTest || !d.Name.IsExported()) {
				all = append(all, docComment{d.Name.Name, d.Doc})
			}
		case *ast.GenDecl:
			if d.Lparen.IsValid() {
				continue
			}
			switch spec := d.Specs[0].(type) {
			case *ast.TypeSpec:
				all = append(all, docComment{spec.Name.Name, d.Doc})
			case *ast.ValueSpec:
				all = append(all, docComment{spec.Names[0].Name, d.Doc})
			}
		}
	}
	return all
}
