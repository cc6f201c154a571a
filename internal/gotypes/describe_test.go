package gotypes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestReceiverTypeHasNoTypeParameters(t *testing.T) {
	for receiver, expect := range map[string]string{
		"Site": "Site", "s Site": "Site", "s *Site": "Site", "s *(Site)": "Site",
		"List[T]": "List", "l *List[T]": "List", "m Map[K, V]": "Map",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a; func ("+receiver+") DeepCopy() {}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := receiverTypeName(file.Decls[0].(*ast.FuncDecl)); got != expect {
			t.Errorf("func (%s): got %q, want %q", receiver, got, expect)
		}
	}
}
