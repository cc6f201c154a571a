package gotypes

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// positions turns positions in Go files into those that users see.
type positions struct {
	dir  string // of the project
	fset *token.FileSet
}

// of returns a position in a parsed file.
func (p positions) of(at token.Pos) spec.Pos {
	position := p.fset.Position(at)
	return spec.Pos{File: p.shortFile(position.Filename), Line: position.Line, Column: position.Column}
}

// ofNode returns the position of a node of a parsed file.
func (p positions) ofNode(n ast.Node) spec.Pos { return p.of(n.Pos()) }

// shorten returns a position of the go command or of controller-tools as a user writes it: from the
// folder of the project, or from the module that it lies in.
func (p positions) shorten(pos string) string {
	return p.parse(pos).String()
}

// parse returns the position that file:line:column describes; the last parts may be missing.
func (p positions) parse(pos string) spec.Pos {
	at := spec.Pos{File: pos}
	for _, number := range []*int{&at.Column, &at.Line} {
		cut := strings.LastIndex(at.File, ":")
		if cut < 0 {
			break
		}
		n, err := strconv.Atoi(at.File[cut+1:])
		if err != nil {
			at.File = strings.TrimSuffix(at.File, ":-")
			break
		}
		*number, at.File = n, at.File[:cut]
	}
	if at.Line == 0 {
		at.Line, at.Column = at.Column, 0 // there was one number only
	}
	at.File = p.shortFile(at.File)
	return at
}

// shortFile returns a file without the folder of the project or the cache of modules.
func (p positions) shortFile(file string) string {
	if rel, err := filepath.Rel(p.dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if _, inCache, found := strings.Cut(filepath.ToSlash(file), "/pkg/mod/"); found {
		return inCache
	}
	return file
}
