package gotypes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Marked is what the markers of a type say about its CustomResourceDefinition.
type Marked struct {
	// CRD has one version, and none if a marker leaves the version out. Its names are empty where no
	// marker gives them.
	CRD *apiextv1.CustomResourceDefinition
	Pos spec.Pos // of the type
}

// ReadMarked reads the markers of a type in a folder of a tree. It only parses files, so that it works
// before the packages of a project can be loaded. It reports false if no file declares the type.
func ReadMarked(tree fs.FS, dir, typeName, version string) (Marked, bool, spec.Problems) {
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return Marked{}, false, spec.Problems{{Message: err.Error()}}
	}
	names, _ := fs.Glob(tree, path.Join(dir, "*.go")) // the pattern is valid
	for _, name := range names {
		source, err := fs.ReadFile(tree, name)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || !declaresType(file, typeName) {
			continue
		}
		return markedIn(fset, file, typeName, version, registry)
	}
	return Marked{}, false, nil
}

// markedIn applies the markers of a type in a file.
func markedIn(fset *token.FileSet, file *ast.File, typeName, version string, registry *markers.Registry) (Marked, bool, spec.Problems) {
	position := func(at token.Pos) spec.Pos {
		p := fset.Position(at)
		return spec.Pos{File: p.Filename, Line: p.Line, Column: p.Column}
	}
	made := &apiextv1.CustomResourceDefinition{}
	made.Spec.Versions = []apiextv1.CustomResourceDefinitionVersion{{Name: version, Served: true}}
	var problems spec.Problems
	for _, c := range commentsAbove(file, typeName) {
		definition := registry.Lookup(c.text, markers.DescribesType)
		if definition == nil || !strings.HasPrefix(definition.Name, "kubebuilder:") {
			continue
		}
		value, err := definition.Parse(c.text)
		if err != nil {
			message, hint := gomarkers.Explain(definition, c.text, err)
			problems = append(problems, spec.Problem{Pos: position(c.at), Message: "+" + definition.Name + ": " + message, Hint: hint})
			continue
		}
		if len(made.Spec.Versions) == 0 {
			continue
		}
		if err := applyMarker(value, made, version); err != nil {
			problems = append(problems, spec.Problem{Pos: position(c.at), Message: "+" + definition.Name + ": " + err.Error()})
		}
	}
	return Marked{made, position(typePos(file, typeName))}, true, problems
}

// declaresType reports whether a file declares a type.
func declaresType(file *ast.File, name string) bool { return typePos(file, name) != token.NoPos }

// typePos returns the position of a type's declaration in a file, and NoPos if there is none.
func typePos(file *ast.File, name string) token.Pos {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, s := range general.Specs {
			if declared, ok := s.(*ast.TypeSpec); ok && declared.Name.Name == name {
				return declared.Name.Pos()
			}
		}
	}
	return token.NoPos
}
