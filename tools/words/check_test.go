package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const exceptions = "# where such words may be\ndocs/quoted.md | rival | a quotation\n"
	for _, test := range []struct {
		name, path, content string
		expected            []string
	}{
		{"a word of an identifier", "runtime/a.go", "package a\n\nfunc rivalPods() {}\n", []string{"runtime/a.go:3: rival: say field manager conflict, other field manager"}},
		{"a part of a word", "runtime/a.go", "package a\n\nfunc arrival() {}\n", nil},
		{"a comment that is wrapped", "runtime/a.go", "package a\n\n// This is hold\n// back.\nvar a int\n", []string{"runtime/a.go:3: hold back: say back off"}},
		{"a message", "internal/a.go", "package a\n\nconst a = \"an unsaid word\"\n", []string{"internal/a.go:3: unsaid: say not expressible"}},
		{"an identifier of another folder", "internal/a.go", "package a\n\nvar pass int\n", nil},
		{"documentation", "docs/a.md", "# A\n\nEach\npass ends.\n\nEach pass.\n", []string{"docs/a.md:3: pass: say reconcile", "docs/a.md:6: pass: say reconcile"}},
		{"an exception", "docs/quoted.md", "A rival.\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := check([]file{{test.path, []byte(test.content)}}, exceptions)
			if err != nil {
				t.Fatal(err)
			}
			found = slices.DeleteFunc(found, func(line string) bool { return strings.Contains(line, "needs the exception") })
			if !slices.Equal(found, test.expected) {
				t.Errorf("found %q, want %q", found, test.expected)
			}
		})
	}
}

func TestCheckReportsExceptionsThatNothingNeeds(t *testing.T) {
	found, err := check(nil, "docs/a.md | rival | a quotation\n")
	expected := []string{`tools/words/exceptions.txt: nothing in docs/a.md needs the exception for "rival"`}
	if err != nil || !slices.Equal(found, expected) {
		t.Errorf("found %q, %v, want %q", found, err, expected)
	}
	if _, err := check(nil, "docs/a.md | rival\n"); err == nil {
		t.Error("an exception without a reason is accepted")
	}
}

func TestSplitWords(t *testing.T) {
	for ident, expected := range map[string]string{
		"leftOver": "left over", "URLPath": "url path", "reasonURL": "reason url", "with_line": "with line", "x": "x",
	} {
		if got := splitWords(ident); got != expected {
			t.Errorf("splitWords(%s) = %q, want %q", ident, got, expected)
		}
	}
}

func TestMeasure(t *testing.T) {
	code := "package a\n\n// Comment.\nfunc one() {}\n\nfunc twoWords(\n\ta int,\n) {\n}\n\nfunc (t thing) get() {}\n"
	report := measure([]file{{"internal/a/a.go", []byte(code)}, {"internal/a/a_test.go", []byte(code)}})
	for _, line := range []string{
		"lines of code: 7\n", "unexported functions of one word: 1 of 2, 50 %\n", "unexported methods of one word: 1 of 1, 100 %\n", "  internal/a.one\n",
	} {
		if !strings.Contains(report, line) {
			t.Errorf("the report lacks %q:\n%s", line, report)
		}
	}
}
