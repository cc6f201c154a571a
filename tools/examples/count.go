package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// row is an example with what is printed of it.
type row struct {
	folder    string // slash-separated, from the root of the repository
	spec      int    // lines of api/ and controllers/
	code      int    // lines of Go that the author has written, without tests
	generated int    // lines of Go and YAML that opgen has written

	seconds    float64
	toConverge int // requests of the test with the fewest; 0: no test has converged
	result     string
}

func (r row) name() string { return filepath.Base(r.folder) }

// countAll counts the lines of each example. Blank lines and comments do not count.
func countAll(folders []string) ([]*row, error) {
	var rows []*row
	for _, folder := range folders {
		r, err := countLines(filepath.ToSlash(filepath.Clean(folder)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func countLines(folder string) (*row, error) {
	r := &row{folder: folder}
	lock, err := os.ReadFile(filepath.Join(folder, "opgen.lock"))
	if err != nil {
		return nil, err
	}
	var written struct {
		Files map[string]string `json:"files"`
	}
	if err := yaml.Unmarshal(lock, &written); err != nil {
		return nil, err
	}
	return r, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		r.countFile(filepath.ToSlash(name), content, written.Files)
		return nil
	})
}

func (r *row) countFile(name string, content []byte, generated map[string]string) {
	_, isGenerated := generated[name]
	isSpec := strings.HasPrefix(name, "api/") || strings.HasPrefix(name, "controllers/")
	switch extension := filepath.Ext(name); {
	case isGenerated && extension == ".go":
		r.generated += goLines(content)
	case isGenerated && extension == ".yaml":
		r.generated += yamlLines(content)
	case isSpec && extension == ".yaml":
		r.spec += yamlLines(content)
	case extension == ".go" && !strings.HasSuffix(name, "_test.go") && !isMainAsGenerated(name, content):
		r.code += goLines(content)
	}
}

// isMainAsGenerated reports whether a file is main.go as opgen init writes it: a call of operator.Main.
func isMainAsGenerated(name string, content []byte) bool {
	return name == "main.go" && goLines(content) == 5 && bytes.Contains(content, []byte("operator.Main(controllers)\n"))
}

// columns is how long a line of Go may be to count as one.
const columns = 100

// goLines counts the lines that have code, whatever comment follows it. A longer line than columns counts as often as it
// would be wrapped.
func goLines(content []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, 0)
	lines := map[int]bool{}
	for {
		position, kind, literal := s.Scan()
		if kind == token.EOF {
			return wrappedLines(content, lines)
		}
		if kind == token.SEMICOLON && literal == "\n" {
			continue
		}
		first := file.Line(position)
		for i := range 1 + strings.Count(literal, "\n") {
			lines[first+i] = true
		}
	}
}

func wrappedLines(content []byte, lines map[int]bool) (count int) {
	for i, line := range bytes.Split(content, []byte("\n")) {
		if lines[i+1] {
			count += 1 + max(utf8.RuneCount(line)-1, 0)/columns
		}
	}
	return count
}

func yamlLines(content []byte) int {
	lines := slices.DeleteFunc(strings.Split(string(content), "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || line == "---" || strings.HasPrefix(line, "#")
	})
	return len(lines)
}
