package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const source = `package greet

import "context"

const Limit = 3

var Default Greeter

type Greeter struct {
	Name string
	secret int
}

func (g *Greeter) Greet(ctx context.Context, names ...string) error { return nil }

func (g Greeter) hide() {}

type Set[T any] struct{ Items []T }

func (s *Set[T]) Add(T) {}

type Named interface{ Is(string) bool }

type Same = Greeter

type Policy string

func New[T Named](t T) (*Greeter, error) { return nil, nil }

func hidden() {}
`

func TestList(t *testing.T) {
	fileSet := token.NewFileSet()
	file, err := parser.ParseFile(fileSet, "greet.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fileSet, "source", nil)}
	pkg, err := config.Check("example.com/greet", fileSet, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	expected := []string{
		`pkg greet, var Default greet.Greeter`,
		`pkg greet, type Greeter struct`,
		`pkg greet, type Greeter struct, Name string`,
		`pkg greet, method (*greet.Greeter) Greet(ctx context.Context, names ...string) error`,
		`pkg greet, const Limit untyped int = 3`,
		`pkg greet, type Named interface`,
		`pkg greet, type Named interface, Is(string) bool`,
		`pkg greet, func New[T greet.Named](t T) (*greet.Greeter, error)`,
		`pkg greet, type Policy string`,
		`pkg greet, type Same = greet.Greeter`,
		`pkg greet, type Set[T any] struct`,
		`pkg greet, type Set[T any] struct, Items []T`,
		`pkg greet, method (*greet.Set[T]) Add(T)`,
	}
	if diff := cmp.Diff(expected, listPackage(pkg)); diff != "" {
		t.Errorf("(-expected +got):\n%s", diff)
	}
}

func TestDifference(t *testing.T) {
	removed, added := difference([]string{"a", "b", "d"}, []string{"b", "c", "d"})
	if strings.Join(removed, "") != "a" || strings.Join(added, "") != "c" {
		t.Errorf("removed %q, added %q", removed, added)
	}
}

func TestAnnouncesBreaking(t *testing.T) {
	for changes, expected := range map[string]bool{
		"# Changes\n\n## Unreleased\n\n### Breaking\n\n- x\n\n## v0.1.0\n":              true,
		"# Changes\n\n## Unreleased\n\n### Added\n\n## v0.1.0\n\n### Breaking\n\n- x\n": false,
		"# Changes\n": false,
	} {
		if got := announcesBreaking(changes); got != expected {
			t.Errorf("%q: got %t", changes, got)
		}
	}
}
