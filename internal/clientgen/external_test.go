package clientgen

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite applyconfigurations.txt")

// TestGoldenApplyConfigurations compares the list with what client-go has: a case for each type in
// its ForKind.
func TestGoldenApplyConfigurations(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(dir)), "applyconfigurations", "utils.go")
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	imported := map[string]string{}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imported[i.Name.Name] = path
	}
	found := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		clause, ok := n.(*ast.CaseClause)
		if !ok || len(clause.List) != 1 {
			return true
		}
		call := clause.List[0].(*ast.CallExpr) // alias.SchemeGroupVersion.WithKind("Name")
		alias := call.Fun.(*ast.SelectorExpr).X.(*ast.SelectorExpr).X.(*ast.Ident).Name
		name, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if pkg, ok := strings.CutPrefix(imported[alias], "k8s.io/api/"); ok {
			found[pkg] = append(found[pkg], name)
		}
		return true
	})
	var lines strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&lines, "%s: %s\n", pkg, strings.Join(slices.Sorted(slices.Values(found[pkg])), " "))
	}
	if *update {
		if err := os.WriteFile("applyconfigurations.txt", []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(lines.String(), applyConfigurations); diff != "" {
		t.Errorf("client-go has others; run make golden (-want +got):\n%s", diff)
	}
}
