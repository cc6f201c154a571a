package spec

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// commentAbove returns the comment on the lines right above a key, and its position. It is the
// description of a field. A comment that is indented deeper than the key belongs to the value
// above. A key that is not the first on its line has no comment.
func (s *source) commentAbove(key *yaml.Node) (string, Pos) {
	if key.Line < 2 || strings.Trim(s.text[s.starts[key.Line-1]:s.offsetOf(key)], " ") != "" {
		return "", Pos{}
	}
	var lines []string
	pos := Pos{File: s.file}
	for number := key.Line - 1; number > 0 && !s.quoted[number]; number-- {
		line := s.lineText(number)
		text, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "#")
		if indent := len(line) - len(text) - 1; !ok || indent >= key.Column {
			break
		}
		pos.Line, pos.Column = number, len(line)-len(text)
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n"), pos
}

// textAfter returns the text of the file after a plain scalar, which may span several lines.
func (s *source) textAfter(n *yaml.Node) string {
	rest := s.text[s.offsetOf(n):]
	for _, r := range n.Value {
		if unicode.IsSpace(r) {
			continue
		}
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		got, size := utf8.DecodeRuneInString(rest)
		if got != r {
			return ""
		}
		rest = rest[size:]
	}
	return rest
}

// markQuoted records the lines on which a quoted scalar continues.
func (s *source) markQuoted(n *yaml.Node) {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		return
	}
	text := s.text[s.offsetOf(n):]
	if text == "" {
		return
	}
	quote, line := text[0], n.Line
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			line++
			s.quoted[line] = true
		case text[i] == '\\' && quote == '"' && i+1 < len(text) && text[i+1] != '\n':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return
		}
	}
}
