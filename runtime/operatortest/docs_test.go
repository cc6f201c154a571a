package operatortest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

var (
	goSnippet = regexp.MustCompile("(?s)```go\n(.*?)```")
	faultLine = regexp.MustCompile("`((?:\\w+) (?:[\\w/]+) \\d+ (?:before|after|instead) [^`]+)`")
)

// TestDocsShowTestedFaults keeps docs/testing.md true: each piece of Go is part of an example that
// runs, and each kind of fault is there.
func TestDocsShowTestedFaults(t *testing.T) {
	page := section(t, "../../docs/testing.md", "\n## Faults\n", "\n## The clock\n")
	methods := section(t, "../../docs/testing.md", "\n### Each method in one line\n", "\n## Hot loops\n")
	var examples string
	for _, name := range []string{"fault", "explore", "related", "signatures", "failed", "simulate"} {
		examples += withoutIndents(section(t, "example_"+name+"_test.go", "", ""))
	}
	simulation := section(t, "../../docs/testing.md", "\n## A simulation of many reconciles\n", "\n## Tests against a real API server\n")
	snippets := goSnippet.FindAllStringSubmatch(simulation+methods+page, -1)
	if len(snippets) < 7 {
		t.Errorf("there are only %d pieces of Go", len(snippets))
	}
	for _, snippet := range snippets {
		if !strings.Contains(examples, withoutIndents(snippet[1])) {
			t.Errorf("no example has this:\n%s", snippet[1])
		}
	}
	for _, line := range faultLine.FindAllStringSubmatch(page, -1) {
		if _, err := operatortest.ParseFault(line[1]); err != nil {
			t.Error(err)
		}
	}
	source := section(t, "internal/fault/fault.go", "", "")
	kinds := regexp.MustCompile(`What += "([\w-]+)"`).FindAllStringSubmatch(source, -1)
	if len(kinds) < 14 {
		t.Errorf("found only %d kinds of faults", len(kinds))
	}
	for _, kind := range kinds {
		if !strings.Contains(page, "`"+kind[1]+"`") {
			t.Errorf("the page does not say what %s is", kind[1])
		}
	}
}

// section returns a part of a file, which begins and ends with a line.
func section(t *testing.T, path, begins, ends string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), begins)
	if ends != "" && found {
		text, _, found = strings.Cut(text, ends)
	}
	if !found {
		t.Fatalf("%s has no part from %q to %q", path, begins, ends)
	}
	return text
}

// withoutIndents returns code without what differs by where it stands.
func withoutIndents(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
