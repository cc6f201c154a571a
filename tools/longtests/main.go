// Longtests lists the tests that take long: make test leaves them out, and make test-all runs them.
//
//	go run ./tools/longtests             # a table: package, test, why it is long
//	go run ./tools/longtests -run        # two lines: packages with long tests, and the pattern of these tests for go test -run
//	go run ./tools/longtests -scripts    # the pattern of the long scripts of testdata/script
//
// A function Test… is long if it calls longtest.Skip or longtest.Cases, or names a function of its package that does. A script
// is long if it has a line [short] skip 'long: …' or [short] stop 'long: …'. A shell runs the long tests, and no others, so:
//
//	{ read -r packages; read -r pattern; } < <(go run ./tools/longtests -run)
//	go test -run "$pattern" $packages
//	go test -run "$(go run ./tools/longtests -scripts)" ./cmd/opgen
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/txtar"
)

// longTest is a test or a script of which short mode leaves out all or a part.
type longTest struct {
	folder, name string // "./internal/scaffold", "TestGeneratedProject"
	reasons      []string
}

func main() {
	run := flag.Bool("run", false, "print the packages with long tests, and on a second line the pattern of these tests")
	onlyScripts := flag.Bool("scripts", false, "print the pattern of the long scripts")
	flag.Parse()
	tests, err := findTests(".")
	scripts, errOfScripts := findScripts("testdata/script")
	if err := errors.Join(err, errOfScripts); err != nil {
		fmt.Fprintln(os.Stderr, "longtests:", err)
		os.Exit(1)
	}
	switch {
	case *run:
		fmt.Printf("%s\n%s\n", joinDistinct(tests, " ", func(t longTest) string { return t.folder }), formatPattern(tests))
	case *onlyScripts:
		fmt.Println("^TestScript$/" + formatPattern(scripts))
	default:
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, t := range append(tests, scripts...) {
			fmt.Fprintf(table, "%s\t%s\t%s\n", t.folder, t.name, strings.Join(t.reasons, "; "))
		}
		table.Flush()
	}
}

// formatPattern returns a regular expression that the names of these tests match, and no others.
func formatPattern(tests []longTest) string {
	return "^(" + joinDistinct(tests, "|", func(t longTest) string { return t.name }) + ")$"
}

func joinDistinct(tests []longTest, separator string, value func(longTest) string) string {
	values := map[string]bool{}
	for _, t := range tests {
		values[value(t)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(values)), separator)
}

// findTests returns the long tests of the module in root.
func findTests(root string) (tests []longTest, err error) {
	err = filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		_, noModule := os.Stat(filepath.Join(dir, "go.mod"))
		if dir != root && (noModule == nil || entry.Name() == "testdata" || strings.ContainsAny(entry.Name()[:1], "._")) {
			return filepath.SkipDir // as go does
		}
		functions := functions{}
		paths, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
		for _, path := range paths {
			if err := functions.read(path); err != nil {
				return err
			}
		}
		folder, err := filepath.Rel(root, dir)
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			if reasons := functions.reasons(name); strings.HasPrefix(name, "Test") && reasons != nil {
				tests = append(tests, longTest{"./" + filepath.ToSlash(folder), name, reasons})
			}
		}
		return err
	})
	return tests, err
}

// functions are those of the test files of a package, by name: the reasons that each gives longtest, and what it names.
type functions map[string]struct{ reasons, names []string }

// read adds the functions of a file.
func (all functions) read(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declaration := range file.Decls {
		f, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction || f.Recv != nil {
			continue
		}
		read := all[f.Name.Name]
		ast.Inspect(f, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Ident:
				read.names = append(read.names, node.Name)
			case *ast.CallExpr:
				if called := types.ExprString(node.Fun); called == "longtest.Skip" || called == "longtest.Cases" {
					reason := types.ExprString(node.Args[len(node.Args)-1])
					if text, err := strconv.Unquote(reason); err == nil {
						reason = text
					}
					read.reasons = append(read.reasons, reason)
				}
			}
			return true
		})
		all[f.Name.Name] = read
	}
	return nil
}

// reasons returns the reasons of a function and of those that it names.
func (all functions) reasons(name string) (reasons []string) {
	names := []string{name}
	for i := 0; i < len(names); i++ {
		reasons = append(reasons, all[names[i]].reasons...)
		for _, next := range all[names[i]].names {
			if !slices.Contains(names, next) {
				names = append(names, next)
			}
		}
	}
	return reasons
}

var shortLine = regexp.MustCompile(`(?m)^\[short\] (?:skip|stop) 'long: (.*)'$`)

// findScripts returns the long scripts of a folder.
func findScripts(folder string) (scripts []longTest, err error) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.txtar")) // the pattern is valid
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return nil, err
		}
		if found := shortLine.FindSubmatch(archive.Comment); found != nil {
			scripts = append(scripts, longTest{"script", strings.TrimSuffix(filepath.Base(path), ".txtar"), []string{string(found[1])}})
		}
	}
	return scripts, nil
}
