package spec

import (
	"strings"
	"testing"
)

// TestUnreadableInput has what no text file in a repository could show.
func TestUnreadableInput(t *testing.T) {
	for _, tc := range []struct {
		given, text string
		want        string
	}{
		{"nothing", "", "a.yaml: is empty"},
		{"only spaces", " \n\n", "a.yaml: is empty"},
		{"bad UTF-8", "a: b\nc: \xff\n", "a.yaml:2:4: is not UTF-8\n    save the file as UTF-8"},
		{"NUL", "ä: \x00\n", "a.yaml:1:4: control character U+0000\n    remove it, or write it as an escape in double quotes, such as \"\\u0007\""},
		{"escape sequence", "a: \x1b[31m\n", "a.yaml:1:4: control character U+001B\n    remove it, or write it as an escape in double quotes, such as \"\\u0007\""},
		{"right to left", "a: b\u202ec\n", "a.yaml:1:5: character U+202E changes the direction of text and hides what is written\n    remove it"},
		{"too many lines", strings.Repeat("\n", maxSeparators-1) + ",[", "a.yaml: is too large: it has 524289 lines, commas and opening brackets, and the limit is 524288"},
		{"too large", strings.Repeat("#", MaxFileSize+1), "a.yaml: is too large: the limit is 16 MiB"},
	} {
		t.Run(tc.given, func(t *testing.T) {
			api, problems := ParseAPI("a.yaml", []byte(tc.text))
			if got := problems.Error(); got != tc.want || api != nil {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if project, problems := ParseProject("a.yaml", []byte(tc.text)); project != nil || problems.Error() != tc.want {
				t.Errorf("as a project: got %q", problems.Error())
			}
		})
	}
}

// TestBombs has inputs that are small to write and large to understand: all end with problems.
func TestBombs(t *testing.T) {
	aliases := "a0: &a0 [x, x]\n"
	for _, pair := range []string{"1 0", "2 1", "3 2", "4 3", "5 4", "6 5", "7 6", "8 7", "9 8"} {
		n, before, _ := strings.Cut(pair, " ")
		aliases += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+before+", ", 50) + "]\n"
	}
	for name, text := range map[string]string{
		"aliases":         aliases,
		"brackets":        strings.Repeat("[", 1<<20),
		"closed brackets": apiHead + "  spec: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"braces":          strings.Repeat("{a: ", 1<<20),
		"dashes":          strings.Repeat("- ", 1<<20),
		"questions":       strings.Repeat("? ", 1<<20),
		"list types":      apiHead + "  spec: \"" + strings.Repeat("[]", 1<<19) + "string\"\n",
		"markers":         apiHead + "  spec: string | " + strings.Repeat("x=1 ", 1<<16) + "\n",
		"quotes":          apiHead + "  spec: string | default=\"" + strings.Repeat(`\"`, 1<<18) + "\n",
		"errors":          apiHead + strings.Repeat("  a: 1\n", 1<<16),
		"hundred million": strings.Repeat("a", 100_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			if _, problems := ParseAPI("a.yaml", []byte(text)); len(problems) == 0 || len(problems) > maxProblems {
				t.Errorf("%d problems", len(problems))
			}
		})
	}
}

func TestProblemsAreBounded(t *testing.T) {
	_, problems := ParseAPI("a.yaml", []byte(apiHead+strings.Repeat("  a: 1\n", 5000)))
	if len(problems) != maxProblems {
		t.Errorf("got %d problems", len(problems))
	}
}
