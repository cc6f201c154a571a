package spec

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxFileSize is the size of the largest spec file in bytes.
const MaxFileSize = 16 << 20

// maxSeparators limits the lines, commas and opening brackets of a file. A megabyte of nothing else
// has a million values, which the YAML parser needs a second for. CRDs have one in fifty bytes.
const maxSeparators = 1 << 19

// TooLarge returns a problem if a file is too large to be parsed, and nil otherwise.
func TooLarge(file string, data []byte) *Problem {
	if len(data) > MaxFileSize {
		return &Problem{Pos: Pos{File: file}, Message: "is too large: the limit is 16 MiB"}
	}
	marks := 0
	for _, mark := range []string{"\n", ",", "[", "{"} {
		marks += bytes.Count(data, []byte(mark))
	}
	if marks > maxSeparators {
		return &Problem{
			Pos:     Pos{File: file},
			Message: "is too large: it has " + strconv.Itoa(marks) + " lines, commas and opening brackets, and the limit is " + strconv.Itoa(maxSeparators),
		}
	}
	return nil
}

// source is the text of a file. The decoder looks up positions in it, and what the YAML parser
// drops, such as comments.
type source struct {
	file   string
	text   string
	starts []int // byte offset of each line
	// quoted are lines inside of a quoted scalar, on which # does not start a comment.
	quoted map[int]bool
	// columns are the byte offsets of the runes of one line. It is a cache for the last line that
	// was asked for.
	columns struct {
		line    int
		offsets []int
	}
	// scalar has the column of each byte of a scalar. It is a cache for the last scalar that was
	// asked for.
	scalar struct {
		node    *yaml.Node
		columns []int
	}
}

// newSource returns the source of a file. It returns a problem if data is not UTF-8, or has
// characters that people cannot see.
func newSource(file string, data []byte) (*source, *Problem) {
	s := &source{file: file, quoted: map[int]bool{}}
	if problem := TooLarge(file, data); problem != nil {
		return nil, problem
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s.text = string(data)
	s.starts = lineStarts(s.text)
	if p := s.firstBadRune(); p != nil {
		return nil, p
	}
	if strings.TrimSpace(s.text) == "" {
		return nil, &Problem{Pos: Pos{File: file}, Message: "is empty"}
	}
	return s, nil
}

func lineStarts(text string) []int {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	start := 0
	for line := range strings.Lines(text) {
		if start += len(line); strings.HasSuffix(line, "\n") {
			starts = append(starts, start)
		}
	}
	return starts
}

func (s *source) firstBadRune() *Problem {
	for i, r := range s.text {
		if r >= ' ' && r <= '~' {
			continue
		}
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s.text[i:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			return &Problem{Pos: s.positionAt(i), Message: "is not UTF-8", Hint: "save the file as UTF-8"}
		case isControl(r):
			return &Problem{
				Pos: s.positionAt(i), Message: fmt.Sprintf("control character %U", r),
				Hint: `remove it, or write it as an escape in double quotes, such as "\u0007"`,
			}
		case isBidi(r):
			return &Problem{
				Pos: s.positionAt(i), Message: fmt.Sprintf("character %U changes the direction of text and hides what is written", r),
				Hint: "remove it",
			}
		}
	}
	return nil
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029'
}

func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// positionOf returns the position of a node.
func (s *source) positionOf(n *yaml.Node) Pos {
	return Pos{File: s.file, Line: n.Line, Column: n.Column}
}

// positionAt returns the position of a byte of the text.
func (s *source) positionAt(offset int) Pos {
	line := sort.SearchInts(s.starts, offset+1)
	return Pos{File: s.file, Line: line, Column: utf8.RuneCountInString(s.text[s.starts[line-1]:offset]) + 1}
}

// lineText returns a line without its end. Lines count from 1.
func (s *source) lineText(number int) string {
	if number < 1 || number > len(s.starts) {
		return ""
	}
	rest := s.text[s.starts[number-1]:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSuffix(rest, "\r")
}

// offsetOf returns the byte offset at which a node starts.
func (s *source) offsetOf(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(s.starts) {
		return len(s.text)
	}
	if s.columns.line != n.Line {
		s.columns.line = n.Line
		s.columns.offsets = s.columns.offsets[:0]
		for i := range s.lineText(n.Line) {
			s.columns.offsets = append(s.columns.offsets, i)
		}
	}
	if n.Column < 1 || n.Column > len(s.columns.offsets) {
		return len(s.text)
	}
	return s.starts[n.Line-1] + s.columns.offsets[n.Column-1]
}

// positionWithin returns the position of a byte of a scalar's value, or that of the scalar when the
// value is not written on one line.
func (s *source) positionWithin(n *yaml.Node, index int) Pos {
	if s.scalar.node != n {
		s.scalar.node, s.scalar.columns = n, s.valueColumns(n)
	}
	pos := s.positionOf(n)
	if index < len(s.scalar.columns) {
		pos.Column = s.scalar.columns[index]
	}
	return pos
}

// valueColumns returns the column of each byte of a scalar's value and of its end, as far as they
// are on its line.
func (s *source) valueColumns(n *yaml.Node) []int {
	raw := s.text[s.offsetOf(n):]
	if end := strings.IndexByte(raw, '\n'); end >= 0 {
		raw = raw[:end]
	}
	column := n.Column
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && raw != "" {
		raw = raw[1:]
		column++
	}
	columns := make([]int, 0, len(n.Value)+1)
	for _, r := range n.Value {
		width := encodedRunes(n.Style, raw, r)
		if width == 0 {
			return columns
		}
		for range utf8.RuneLen(r) {
			columns = append(columns, column)
		}
		column += width
		for range width {
			_, size := utf8.DecodeRuneInString(raw)
			raw = raw[size:]
		}
	}
	return append(columns, column)
}

// encodedRunes returns how many runes of raw encode the rune r of a scalar. In double quotes that
// may be an escape such as \n. It returns 0 if the rune is on another line.
func encodedRunes(style yaml.Style, raw string, r rune) int {
	switch {
	case style&yaml.DoubleQuotedStyle != 0 && strings.HasPrefix(raw, `\`):
		width := map[byte]int{'x': 4, 'u': 6, 'U': 10}[(raw + " ")[1]]
		switch {
		case width == 0:
			return 2
		case width == 6 && r > 0xffff:
			return 12 // a surrogate pair
		}
		return width
	case style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(raw, "''"):
		return 2
	}
	if got, _ := utf8.DecodeRuneInString(raw); raw == "" || got != r {
		return 0
	}
	return 1
}

// IsVisible reports whether a text can be in a spec file as it is: its only control characters are
// tabs and line ends, and none of its characters hide others.
func IsVisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < ' ' || r > '~') && (isControl(r) || isBidi(r) || r == '\ufeff') })
}
