package project

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/opgen-dev/opgen/internal/tree"
)

// CompileError is an error of the compiler in the code of a project.
type CompileError struct {
	Position string `json:"position"` // path:line:column, the path from the folder of the project; empty for an error of the go command
	Message  string `json:"message"`
	// Generated means that the file is opgen's. What is wrong may be in a file of the author that it calls.
	Generated bool `json:"generated"`
}

// Compile returns the errors of all packages of the project in a folder, its tests included, sorted by position.
func Compile(ctx context.Context, dir string) ([]CompileError, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("compile the project: %w", err)
	}
	var found []CompileError
	for _, pkg := range loaded {
		for _, e := range pkg.Errors {
			compiled := newCompileError(dir, e)
			if !slices.Contains(found, compiled) { // a package and its test have the same files
				found = append(found, compiled)
			}
		}
	}
	if slices.ContainsFunc(found, func(e CompileError) bool { return e.Position != "" }) {
		// What the compiler has printed for a whole package says the same again.
		found = slices.DeleteFunc(found, func(e CompileError) bool { return e.Position == "" && strings.HasPrefix(e.Message, "# ") })
	}
	slices.SortFunc(found, func(a, b CompileError) int { return strings.Compare(a.Position, b.Position) })
	return found, nil
}

func newCompileError(dir string, e packages.Error) CompileError {
	position := e.Pos
	if position == "-" {
		position = ""
	}
	file, rest, _ := strings.Cut(position, ":")
	if rel, err := filepath.Rel(dir, file); err == nil && position != "" && filepath.IsAbs(file) {
		position = filepath.ToSlash(rel) + ":" + rest
	}
	return CompileError{Position: position, Message: e.Msg, Generated: tree.IsGeneratedName(file)}
}
