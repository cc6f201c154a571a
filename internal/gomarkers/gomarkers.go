// Package gomarkers finds markers, comments such as +kubebuilder:rbac, in the Go source of a project.
// It only parses comments and loads no packages, so that it works while the code does not compile.
package gomarkers

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Marker is a comment that begins with the name of a marker.
type Marker struct {
	Pos  spec.Pos
	Text string // without the slashes
}

// Texts returns the texts of markers, in their order.
func Texts(all []Marker) []string {
	var texts []string
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	return texts
}

// Named returns those markers that begin with a name: +kubebuilder:webhook is not the beginning of
// +kubebuilder:webhookconfiguration.
func Named(all []Marker, name string) (named []Marker) {
	for _, m := range all {
		after, found := strings.CutPrefix(m.Text, name)
		if found && !startsWithLetter(after) {
			named = append(named, m)
		}
	}
	return named
}

func startsWithLetter(text string) bool {
	return text != "" && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}

// Find returns the comments in a project's Go files that begin with one of some names, such as
// +kubebuilder:rbac, in the order of the files. It skips tests, generated files, files that build
// constraints leave out of the operator, and other modules. A tree that does not exist has none.
func Find(tree fs.FS, names ...string) ([]Marker, error) {
	var found []Marker
	err := WalkFiles(tree, func(name string) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil || !slices.ContainsFunc(names, func(marker string) bool { return bytes.Contains(source, []byte(marker)) }) {
			return err
		}
		if isCompiled(name, source) {
			found = append(found, markersIn(name, source, names)...)
		}
		return nil
	})
	return found, err
}

// isCompiled reports whether a Go file is a part of the operator, which runs in a container: build
// constraints and its name may leave it out.
func isCompiled(name string, source []byte) bool {
	context := build.Default
	context.GOOS = "linux"
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(source)), nil }
	matches, err := context.MatchFile(path.Dir(name), path.Base(name))
	return matches || err != nil // the compiler reports the error
}

// markersIn returns the markers of one file. It ignores errors in its code, which the compiler
// reports.
func markersIn(name string, source []byte, names []string) (found []Marker) {
	files := token.NewFileSet()
	parsed, _ := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil || ast.IsGenerated(parsed) {
		return nil
	}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			text, line := strings.CutPrefix(comment.Text, "//")
			text = strings.TrimSpace(text)
			if line && slices.ContainsFunc(names, func(marker string) bool { return strings.HasPrefix(text, marker) }) {
				at := files.Position(comment.Pos())
				found = append(found, Marker{spec.Pos{File: name, Line: at.Line, Column: at.Column}, text})
			}
		}
	}
	return found
}

// WalkFiles calls visit with the name of each Go file of a module, tests included. It skips folders of
// other modules and those that the go command ignores. A tree that does not exist has no files.
func WalkFiles(tree fs.FS, visit func(name string) error) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case name == "." && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (isIgnoredFolder(entry.Name()) || fileExists(tree, path.Join(name, "go.mod"))):
			return fs.SkipDir
		case !entry.Type().IsRegular() || path.Ext(name) != ".go":
			return nil
		}
		return visit(name)
	})
}

// isIgnoredFolder reports whether the go command ignores a folder.
func isIgnoredFolder(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "vendor" || folder == "testdata"
}

func fileExists(tree fs.FS, name string) bool {
	_, err := fs.Stat(tree, name)
	return err == nil
}
