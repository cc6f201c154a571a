package scaffold

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesAreShort keeps what an author writes below the length of the founding
// examples, in lines of Go without blank ones and comments.
func TestExamplesAreShort(t *testing.T) {
	for name, limit := range map[string]int{"temp-namespace": 90, "catset": 150, "pod-terminator": 160} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join("..", "..", "examples", name)
			lines := authorsLines(t, root)
			made := countLines(t, filepath.Join(root, "main.go"))
			t.Logf("%d lines, %d of them in main.go as init writes it; the limit is %d", lines, made, limit)
			if lines > limit {
				t.Errorf("%d lines, want no more than %d", lines, limit)
			}
			if lines <= made {
				t.Error("no file of the author's was found")
			}
		})
	}
}

// authorsLines counts the code of a project but for tests and generated files.
func authorsLines(t *testing.T, root string) (lines int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated.") {
			return err
		}
		lines += countLines(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// countLines counts the lines of a Go file that hold any of its code.
func countLines(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return codeLines(text)
}

func codeLines(text []byte) int {
	var tokens scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	tokens.Init(file, text, nil, 0) // which skips comments
	held := map[int]bool{}
	for {
		position, kind, literal := tokens.Scan()
		switch {
		case kind == token.EOF:
			return len(held)
		case kind == token.SEMICOLON && literal == "\n": // which nobody has written
			continue
		}
		first := file.Line(position)
		for line := range strings.Count(literal, "\n") + 1 {
			held[first+line] = true
		}
	}
}

func TestCodeLines(t *testing.T) {
	for text, expected := range map[string]int{
		"package a\n\n// A is.\nvar A = 1 // one\n":     2,
		"package a /* which\ngoes on\n*/\n":             1,
		"package a\n\nvar a = `one\n\n// two` +\n\"\"":  5,
		"package a\n\nfunc A() {\n\t/* b */ B()\n\t\n}": 4,
	} {
		if got := codeLines([]byte(text)); got != expected {
			t.Errorf("%d lines, want %d, in:\n%s", got, expected, text)
		}
	}
}
