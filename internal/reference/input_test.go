package reference

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// classes is how many kinds of bad input docs/input.md lists.
const classes = 75

var (
	inputRow = regexp.MustCompile(`(?m)^\| (\d+) \| (.+?) \| (.+?) \| (.+) \|$`)
	shown    = regexp.MustCompile("\\[[^]]+\\]\\(\\.\\./([^)]+)\\) (?:`` (.+?) ``|`(.+?)`)(?:; |$)")
)

// TestInputIsShown keeps docs/input.md complete: each kind of bad input is listed once, and the
// tests that it names have the messages that it quotes.
func TestInputIsShown(t *testing.T) {
	page, err := os.ReadFile(repository + "/docs/input.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := inputRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) != classes {
		t.Errorf("%d rows, expected %d", len(rows), classes)
	}
	for i, row := range rows {
		number, answer, tests := row[1], row[3], row[4]
		if number != strconv.Itoa(i+1) {
			t.Errorf("row %d has the number %s", i+1, number)
		}
		if tests == "–" {
			if !strings.HasPrefix(answer, "no concern: ") {
				t.Errorf("%s: shown nowhere, and no reason", number)
			}
			continue
		}
		found := shown.FindAllStringSubmatch(tests, -1)
		if len(found) != 1+strings.Count(tests, "; [") {
			t.Errorf("%s: %q names %d tests", number, tests, len(found))
		}
		for _, f := range found {
			content, err := os.ReadFile(filepath.Join(repository, f[1]))
			if err != nil {
				t.Errorf("%s: %v", number, err)
				continue
			}
			if message := f[2] + f[3]; !strings.Contains(string(content), message) {
				t.Errorf("%s: %s does not have %q", number, f[1], message)
			}
		}
	}
}
