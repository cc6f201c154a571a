package gotypes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

func TestFieldsAreCountedWithoutWritingThemOut(t *testing.T) {
	doubling := "package p\ntype L0 struct { A string `json:\"a\"` }\n"
	for i := 1; i <= 60; i++ {
		doubling += fmt.Sprintf("type L%d struct { A L%d `json:\"a\"`; B []L%d `json:\"b\"` }\n", i, i-1, i-1)
	}
	recursive := "package p\ntype L0 struct { A string `json:\"a\"`; Next *L0 `json:\"next\"`; hidden []L0; Left map[string]L0 `json:\"-\"` }\n"
	for _, tc := range []struct {
		source, name string
		want         int
	}{
		{doubling, "L0", 1},
		{doubling, "L3", 22},
		{doubling, "L15", 98302},
		{doubling, "L16", maxFields + 1},
		{doubling, "L60", maxFields + 1},
		{recursive, "L0", 2},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", tc.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fieldCount(pkg.Scope().Lookup(tc.name).Type()); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}
