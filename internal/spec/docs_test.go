package spec

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const reference = "../../docs/spec.md"

var yamlExample = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestReferenceExamples parses every example of the reference.
func TestReferenceExamples(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	examples := yamlExample.FindAllSubmatch(text, -1)
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		_, problems := ParseAPI("api.yaml", e[1])
		if strings.Contains(string(e[1]), "kind: Project") {
			_, problems = ParseProject("opgen.yaml", e[1])
		}
		if IsTypes(e[1]) {
			_, problems = ParseTypes("types.yaml", e[1])
		}
		if IsController(e[1]) {
			_, problems = ParseController("controller.yaml", e[1])
		}
		if err := problems.Err(); err != nil {
			t.Errorf("%s\n%v", e[1], err)
		}
	}
}

// TestGuideExamples parses what the guides show of spec files: whole ones, and operator blocks.
func TestGuideExamples(t *testing.T) {
	const head = "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Shop}\nversions: [{name: v1, spec: {properties: {}}}]\n"
	for page, least := range map[string]int{"guide.md": 1, "runtime.md": 1, "children.md": 4} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		examples := yamlExample.FindAllSubmatch(text, -1)
		if len(examples) < least {
			t.Errorf("%s has only %d examples", page, len(examples))
		}
		for _, e := range examples {
			var problems Problems
			switch {
			case IsController(e[1]):
				_, problems = ParseController("controller.yaml", e[1])
			case bytes.HasPrefix(e[1], []byte("apiVersion:")):
				_, problems = ParseAPI("api.yaml", e[1])
			default:
				_, problems = ParseAPI("api.yaml", []byte(head+string(e[1])))
			}
			if err := problems.Err(); err != nil {
				t.Errorf("%s: %s\n%v", page, e[1], err)
			}
		}
	}
}

// TestReferenceIsComplete looks for every keyword, marker and word in the reference.
func TestReferenceIsComplete(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(keywordNames(), markerNames(), shorthandTypes()) {
		if _, vendor, ok := strings.Cut(name, "x-kubernetes-"); ok {
			name = vendor
		}
		name = strings.TrimSuffix(name, "string")
		if !strings.Contains(string(text), name) {
			t.Errorf("%s is missing", name)
		}
	}
}
