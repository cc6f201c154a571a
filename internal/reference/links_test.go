package reference

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	marks   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	fenced  = regexp.MustCompile("(?s)```.*?```")
)

// TestLinksLead follows the links between the pages of this repository, to files and to headings.
func TestLinksLead(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"/*.md", "/docs/*.md", "/docs/*/*.md", "/examples/README.md", "/examples/*/README.md"} {
		found, err := filepath.Glob(repository + pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	followed := 0
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(contents(t, page), ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			followed++
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s leads nowhere", page, found[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(contents(t, file)), anchor) {
				t.Errorf("%s: %s has no such heading", page, found[1])
			}
		}
	}
	if followed < 50 {
		t.Errorf("followed only %d links", followed)
	}
}

// anchors are what headings are linked by.
func anchors(page string) []string {
	var names []string
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		names = append(names, strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
