package spec

import (
	"errors"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// maxSearch is the size of the largest text in which errorLine searches, as it parses the text
// repeatedly.
const maxSearch = 1 << 20

var syntaxError = lazyregexp.New(`^yaml: (?:line (\d+): )?(.*)$`)

// reportSyntax adds a problem for text that is not YAML.
func (d *decoder) reportSyntax(err error) {
	p := d.src.syntaxProblem(err)
	d.failAt(p.Pos, "", p.Message, p.Hint)
}

// SyntaxProblem returns the problem that a file is not YAML, at the position of the error that the
// YAML parser has returned, with its likely cause.
func SyntaxProblem(file string, data []byte, err error) Problem {
	s := &source{file: file, text: string(data), starts: lineStarts(string(data))}
	return s.syntaxProblem(err)
}

func (s *source) syntaxProblem(err error) Problem {
	match := syntaxError().FindStringSubmatch(err.Error())
	if match == nil {
		return Problem{Pos: Pos{File: s.file}, Message: "is not YAML: " + err.Error()}
	}
	message := match[2]
	line, _ := strconv.Atoi(match[1])
	if len(s.text) <= maxSearch {
		line = s.errorLine(message)
	}
	column, hint := explainSyntax(message, s.lineText(max(line, 1)))
	return Problem{Pos: Pos{File: s.file, Line: max(line, 1), Column: column}, Message: "is not YAML: " + message, Hint: hint}
}

// errorLine returns the line of a syntax error. The YAML parser often reports the line where the
// surrounding value began. So errorLine parses beginnings of the text: the last line of the
// shortest with the same error has the error.
func (s *source) errorLine(message string) int {
	return 1 + sort.Search(len(s.starts)-1, func(i int) bool {
		match := syntaxError().FindStringSubmatch(parseError(s.text[:s.starts[i+1]]))
		return match != nil && match[2] == message
	})
}

// parseError returns the error of the YAML parser for a text, or "".
func parseError(text string) string {
	decode := yamltext.NewDecoder(text)
	for {
		var n yaml.Node
		switch err := decode.Decode(&n); {
		case errors.Is(err, io.EOF):
			return ""
		case err != nil:
			return err.Error()
		}
	}
}

// syntaxCauses are likely causes of syntax errors. The first that matches the line of the error
// gives the hint.
var syntaxCauses = []struct {
	message string // part of the parser's
	where   func() *regexp.Regexp
	hint    string
}{
	{"mapping values", lazyregexp.New(`^[^"'#]*?:\s.*?(:)(?:\s|$)`), `": " in an unquoted value starts a mapping: quote the value`},
	{"did not find", lazyregexp.New(`:\s+(\[\])`), `quote a list type: "[]string"`},
	{"cannot start any token", lazyregexp.New("(?::|-)\\s+([@`%])"), "quote the value"},
	{"cannot start any token", lazyregexp.New(`^ *(\t)`), "indent with spaces"},
	{"unexpected end of stream", lazyregexp.New(`(?::|-)\s+(["'])`), "the quote that starts here is never closed"},
	{"did not find", lazyregexp.New(`(?::|-)\s+(["'])`), "text follows the closing quote: quote the whole value"},
	{"expected ',' or", lazyregexp.New(`([\[{])`), `a bracket is not closed, or text with ": " or a bracket inside is not quoted`},
	{"tab character", lazyregexp.New(`(\t)`), "indent with spaces"},
	{"incompatible YAML document", lazyregexp.New(`^(%)`), "YAML has the versions 1.1 and 1.2: leave the line out"},
	{"Unicode character escape", lazyregexp.New(`(\\u[dD][89a-fA-F])`), "half of a surrogate pair is no character"},
	{"unknown escape character", lazyregexp.New(`(\\[^0abtnvfre "/\\N_LPxuU\t])`), `write \\ for a backslash, or use single quotes, where it stands for itself`},
	{"unknown anchor", lazyregexp.New(`(?::|-)\s+(\*)`), "quote text that starts with *"},
	{"could not find expected ':'", lazyregexp.New(`^ *([^ ])`), "a key ends with a colon and a space, and the further lines of a text are indented more than its key"},
	{"expected key", lazyregexp.New(`^ *([^ ])`), "its indentation fits nothing above"},
}

// explainSyntax returns the column and the hint of the likely cause of a syntax error.
func explainSyntax(message, line string) (column int, hint string) {
	for _, c := range syntaxCauses {
		if !strings.Contains(message, c.message) {
			continue
		}
		if m := c.where().FindStringSubmatchIndex(line); m != nil {
			return len([]rune(line[:m[2]])) + 1, c.hint
		}
	}
	return len(line) - len(strings.TrimLeft(line, " ")) + 1, ""
}
