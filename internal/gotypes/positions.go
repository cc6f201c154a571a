package gotypes

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// positions converts positions in Go files into those that messages show.
type positions struct {
	dir  string // of the project
	fset *token.FileSet
}

// position returns a position in a parsed file.
func (p positions) position(at token.Pos) spec.Pos {
	position := p.fset.Position(at)
	return spec.Pos{File: p.shortFile(position.Filename), Line: position.Line, Column: position.Column}
}

// ofNode returns the position of a node of a parsed file.
func (p positions) ofNode(n ast.Node) spec.Pos { return p.position(n.Pos()) }

// shortPosition returns a position of the go command or of controller-tools as messages show it: relative
// to the project, or to the module of the file.
func (p positions) shortPosition(pos string) string {
	return p.parse(pos).String()
}

// parse parses a position of the form file:line:column. Column, or line and column, may be missing.
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
		at.Line, at.Column = at.Column, 0 // the only number is the line
	}
	at.File = p.shortFile(at.File)
	return at
}

// shortFile returns the path of a file without the folder of the project or of the module cache.
func (p positions) shortFile(file string) string {
	if rel, err := filepath.Rel(p.dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if _, inCache, found := strings.Cut(filepath.ToSlash(file), "/pkg/mod/"); found {
		return inCache
	}
	return file
}
