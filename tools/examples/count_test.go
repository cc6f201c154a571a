package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestGoLines(t *testing.T) {
	for source, expected := range map[string]int{
		"": 0,
		"// comment\n\npackage a\n\n/* of\nthree\nlines */\nvar b = 1 // and code\n": 2,
		"package a\n\nvar b = \"" + strings.Repeat("é", 90) + "\"\n":                 2,
		"package a\n\nvar b = \"" + strings.Repeat("é", 91) + "\"\n":                 3,
		"package a\n\nvar b = `a\n\n// no comment\n`\n":                              5,
	} {
		if got := goLines([]byte(source)); got != expected {
			t.Errorf("%d lines, want %d:\n%s", got, expected, source)
		}
	}
}

func TestYAMLLines(t *testing.T) {
	if got := yamlLines([]byte("# comment\na: 1\n\n---\n  # comment\nb: 2 # and a value\n")); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
}

// aRow is an example in the table of examples/README.md: its name, and the lines of its spec, its code and its original.
var aRow = regexp.MustCompile(`(?m)^\| \[([a-z-]+)\]\(([a-z-]+)\) \| .* \| (\d+) \| (\d+) \| (\d+|–) \|$`)

// TestTheTableOfExamples compares the table with what is in the folders. Run go run ./tools/examples -count for the numbers.
func TestTheTableOfExamples(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{}
	for _, match := range aRow.FindAllStringSubmatch(string(page), -1) {
		told[match[1]] = match[2:]
	}
	folders, err := filepath.Glob("examples/*/opgen.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	rows, err := countAll(folders)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		original := "–"
		if lines := originals[r.name()].lines; lines > 0 {
			original = strconv.Itoa(lines)
		}
		expected := []string{r.name(), strconv.Itoa(r.spec), strconv.Itoa(r.code), original}
		if got := told[r.name()]; len(got) != len(expected) || got[0] != expected[0] || got[1] != expected[1] || got[2] != expected[2] || got[3] != expected[3] {
			t.Errorf("examples/README.md says %v of %s, and it is %v", got, r.name(), expected)
		}
		delete(told, r.name())
	}
	for name := range told {
		t.Errorf("examples/README.md has %s, and there is no such folder", name)
	}
}
