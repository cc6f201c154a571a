package operator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goSnippet = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestDocsShowTestedCode keeps the Go in docs/ from rotting: each piece is part
// of an Example function, or of a project in examples/.
func TestDocsShowTestedCode(t *testing.T) {
	tested := exampleFunctions(t, "example_*_test.go")
	sources, err := filepath.Glob("../../examples/*/internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		tested = append(tested, plain(read(t, file)))
	}
	for page, least := range map[string]int{"guide.md": 2, "runtime.md": 10, "children.md": 10, "operating.md": 1, "workload.md": 3} {
		snippets := goSnippet.FindAllStringSubmatch(read(t, "../../docs/"+page), -1)
		if len(snippets) < least {
			t.Errorf("docs/%s shows only %d pieces of Go", page, len(snippets))
		}
		for _, snippet := range snippets {
			if !isPartOf(plain(snippet[1]), tested) {
				t.Errorf("docs/%s shows what no example has:\n%s", page, snippet[1])
			}
		}
	}
}

// TestDocsShowEveryOption looks in the pages for all that an author can use.
func TestDocsShowEveryOption(t *testing.T) {
	pages := read(t, "../../docs/runtime.md") + read(t, "../../docs/children.md")
	for _, file := range []string{"request.go", "response.go", "policies.go", "desired.go", "snapshot.go", "snapshot_health.go", "snapshot_refused.go", "snapshot_name_conflict.go", "snapshot_desired.go", "generated.go", "patches.go", "runs.go", "trigger.go", "poller.go"} {
		for name := range exported(t, file) {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(pages) {
				t.Errorf("%s of %s is in no page", name, file)
			}
		}
	}
}

// TestDocsNameWhatIsSeen looks in the pages for every flag, metric and reason.
func TestDocsNameWhatIsSeen(t *testing.T) {
	for _, test := range []struct {
		file, page string
		names      *regexp.Regexp
		least      int
	}{
		{"../internal/process/flags.go", "operating.md", regexp.MustCompile(`flags\.\w+\(&[\w.]+, "([\w-]+)"`), 15},
		{"../internal/process/metrics.go", "operating.md", regexp.MustCompile(`new\w+\("(opgen_\w+)"`), 14},
		{"../internal/reconcile/conditions.go", "runtime.md", regexp.MustCompile(`reason\w+ += "(\w+)"|notReady\(\w+, "(\w+)"`), 11},
		{"../internal/status/conditions.go", "runtime.md", regexp.MustCompile(`Reason\w+ += "(\w+)"`), 2},
	} {
		page, found := read(t, "../../docs/"+test.page), test.names.FindAllStringSubmatch(read(t, test.file), -1)
		if len(found) < test.least {
			t.Errorf("found only %d names in %s", len(found), test.file)
		}
		for _, groups := range found {
			name := strings.Join(groups[1:], "")
			if !regexp.MustCompile("`(--)?" + name + "`").MatchString(page) {
				t.Errorf("%s of %s is not in docs/%s", name, test.file, test.page)
			}
		}
	}
}

// exported is what a file offers to authors: fields, methods, functions and
// the values of constants.
func exported(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			names[node.Name.Name] = node.Name.IsExported()
			return false
		case *ast.ValueSpec:
			for _, value := range node.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					names[strings.Trim(literal.Value, `"`)] = node.Names[0].IsExported()
				}
			}
		case *ast.TypeSpec:
			fields, ok := node.Type.(*ast.StructType)
			if !ok || node.Name.Name == "Event" || node.Name.Name == "DesiredChild" || node.Name.Name == "DesiredPatch" { // the latter is for tests
				return false
			}
			for _, field := range fields.Fields.List {
				for _, name := range field.Names {
					names[name.Name] = name.IsExported()
				}
			}
		}
		return true
	})
	for name, isExported := range names {
		if !isExported {
			delete(names, name)
		}
	}
	for _, forTests := range []string{"Children", "Kept", "NewSnapshot"} {
		delete(names, forTests)
	}
	return names
}

// exampleFunctions returns the bodies of the Example functions in files.
func exampleFunctions(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for _, file := range files {
		text, positions := read(t, file), token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && strings.HasPrefix(function.Name.Name, "Example") {
				bodies = append(bodies, plain(text[positions.Position(function.Body.Lbrace).Offset:positions.Position(function.Body.Rbrace).Offset]))
			}
		}
	}
	if len(bodies) == 0 {
		t.Fatalf("no Example function in %s", pattern)
	}
	return bodies
}

// plain is code without its indentation: whole lines, each between two breaks.
func plain(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

func isPartOf(snippet string, tested []string) bool {
	for _, code := range tested {
		if strings.Contains(code, snippet) {
			return true
		}
	}
	return false
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
