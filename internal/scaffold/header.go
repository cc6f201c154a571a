package scaffold

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"path"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// headerOf reads the header of generated Go files. It returns an error if it is not a comment.
func headerOf(files fs.FS, p *spec.Project) ([]byte, error) {
	if p == nil || p.HeaderFile == "" {
		return nil, nil
	}
	fail := func(message, hint string) error {
		return spec.Problems{{Pos: p.At["headerFile"], Path: "headerFile", Message: message, Hint: hint}}.Err()
	}
	header, err := fs.ReadFile(files, p.HeaderFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail("there is no file "+p.HeaderFile, "write it, or leave the key out")
	case err != nil:
		return nil, fail(p.HeaderFile+" cannot be read", "it must be a file that you may read")
	}
	header = bytes.TrimSpace(tree.UnixLines(header))
	file, err := parser.ParseFile(token.NewFileSet(), "", append(bytes.Clone(header), "\npackage p\n"...), parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || file.Name.Name != "p" {
		return nil, fail(p.HeaderFile+" holds more than Go comments", "put // before each line, or /* and */ around them")
	}
	return header, nil
}

// withHeader returns a renderer that puts the header in front of generated Go code.
func withHeader(header []byte, o output) func() ([]byte, error) {
	if len(header) == 0 || o.owner != tree.Generated {
		return o.render
	}
	return func() ([]byte, error) {
		content, err := o.render()
		return addHeader(header, o.path, content), err
	}
}

// addHeader puts a header in front of generated Go code. Code that controller-gen has generated
// keeps its header.
func addHeader(header []byte, file string, content []byte) []byte {
	if len(header) == 0 || path.Ext(file) != ".go" || tree.ByControllerGen(content) {
		return content
	}
	return bytes.Join([][]byte{header, content}, []byte("\n\n"))
}
