package yamltext

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// width is the column behind which a line is folded at the next space.
const width = 80

// style is how a text is written.
type style int

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	literal
)

// text writes a text as a value, below a key or dash at the column indent.
func (w *writer) text(text string, indent int, at place) {
	text = valid(text)
	if at != atStart {
		w.out = append(w.out, ' ')
	}
	switch s := styleOf(text); s {
	case literal:
		w.literal(text, indent+2)
		return
	case plain:
		w.fold(text, s, indent+2)
	default:
		w.quoted(text, s, indent+2)
	}
	w.newline(0)
}

// simpleKey writes a key that is UTF-8 and its colon on one line.
func (w *writer) simpleKey(name string) {
	if s := styleOf(name); s == plain {
		w.write(name)
	} else {
		w.quoted(name, s, 0)
	}
	w.out = append(w.out, ':')
}

// valid returns a text with what is no UTF-8 replaced, as encoding/json does.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}

func (w *writer) quoted(text string, s style, indent int) {
	quote := byte('\'')
	if s == doubleQuoted {
		quote = '"'
	}
	w.out = append(w.out, quote)
	w.fold(text, s, indent)
	w.out = append(w.out, quote)
}

// fold writes a text word by word, and starts a new line at the first single space behind the width. In double
// quotes any space will do: a backslash keeps those that follow it. An indent of 0 is that of keys, which have one
// line.
func (w *writer) fold(text string, s style, indent int) {
	column := w.column()
	for {
		word, rest, more := strings.Cut(text, " ")
		before := len(w.out)
		w.escaped(word, s)
		column += utf8.RuneCount(w.out[before:])
		if !more {
			return
		}
		spaces := strings.HasPrefix(rest, " ")
		if indent > 0 && column > width && word != "" && rest != "" && (!spaces || s == doubleQuoted) {
			w.newline(indent)
			column = indent
			if spaces {
				w.out = append(w.out, '\\')
				column++
			}
		} else {
			w.out = append(w.out, ' ')
			column++
		}
		text = rest
	}
}

// escaped writes a word as a style has it.
func (w *writer) escaped(word string, s style) {
	switch s {
	case singleQuoted:
		w.write(strings.ReplaceAll(word, "'", "''"))
	case doubleQuoted:
		for _, r := range word {
			w.escapedRune(r)
		}
	default:
		w.write(word)
	}
}

// escapes are the characters with an escape of their own.
var escapes = map[rune]byte{
	0: '0', '\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '\x1b': 'e', '"': '"', '\\': '\\',
	'\u0085': 'N', '\u2028': 'L', '\u2029': 'P',
}

func (w *writer) escapedRune(r rune) {
	name, named := escapes[r]
	switch {
	case named:
		w.out = append(w.out, '\\', name)
	case isPrintable(r):
		w.out = utf8.AppendRune(w.out, r)
	case r <= 0xff:
		w.out = fmt.Appendf(w.out, `\x%02X`, r)
	case r <= 0xffff:
		w.out = fmt.Appendf(w.out, `\u%04X`, r)
	default:
		w.out = fmt.Appendf(w.out, `\U%08X`, r)
	}
}

// literal writes a text of several lines as it is. The header says how many line ends the text ends with, and the
// indentation where it could not be seen.
func (w *writer) literal(text string, indent int) {
	w.out = append(w.out, '|')
	if text[0] == ' ' || text[0] == '\n' {
		w.out = append(w.out, '2')
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		w.out = append(w.out, '-')
	case text == "\n" || strings.HasSuffix(text, "\n\n"):
		w.out = append(w.out, '+')
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		w.newline(0)
		if line != "" {
			w.indent(indent)
			w.write(line)
		}
	}
	w.newline(0)
}

// styleOf returns the style of a text: plain where it can be, literal when it has several lines.
func styleOf(text string) style {
	t := look(text)
	switch {
	case t.special || t.spaceBreak:
		return doubleQuoted
	case t.lines && !strings.HasSuffix(text, " "):
		return literal
	case t.lines || !isText(text):
		return doubleQuoted
	case t.indicators || strings.HasPrefix(text, " ") || strings.HasSuffix(text, " "):
		return singleQuoted
	}
	return plain
}

// traits are what decides the style of a text.
type traits struct {
	lines      bool // it has several lines
	special    bool // it has characters that must be escaped
	spaceBreak bool // a line ends with a space
	indicators bool // it would mean something else without quotes
}

func look(text string) traits {
	t := traits{indicators: strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") || startsLikeYAML(text)}
	for i, r := range text {
		switch {
		case r == '\n':
			t.lines = true
			t.spaceBreak = t.spaceBreak || i > 0 && text[i-1] == ' '
		case r == ':' && i > 0 && endsWord(text[i+1:]):
			t.indicators = true
		case r == '#' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\n'):
			t.indicators = true
		case r < ' ' || r > '~':
			t.special = t.special || !isPrintable(r)
		}
	}
	return t
}

// startsLikeYAML tells whether a text starts with a character that means something to YAML.
func startsLikeYAML(text string) bool {
	switch {
	case text == "":
		return false
	case strings.IndexByte("#,[]{}&*!|>'\"%@`", text[0]) >= 0:
		return true
	}
	return strings.IndexByte("?:-", text[0]) >= 0 && endsWord(text[1:])
}

func endsWord(rest string) bool { return rest == "" || rest[0] == ' ' || rest[0] == '\t' }

// isPrintable tells whether a character stands for itself. Those beyond the basic plane are escaped.
func isPrintable(r rune) bool {
	return r == '\n' || r >= ' ' && r <= '~' || r >= 0xa0 && r <= 0xfffd && r != '\ufeff' && r != '\u2028' && r != '\u2029'
}

// otherWords are what YAML 1.1 takes for a boolean, for nothing or for a merge.
var otherWords = []string{
	"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON",
	"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF",
	"~", "null", "Null", "NULL", "<<",
}

// isText tells whether a text without quotes is still a text, and not a number, a date or one of the other words.
func isText(text string) bool {
	switch {
	case text == "":
		return false
	case strings.IndexByte("0123456789+-.", text[0]) < 0:
		return len(text) > len("false") || !slices.Contains(otherWords, text)
	}
	alone, err := yaml.Marshal(text) // what is a number to YAML 1.1 takes a page to say
	return err == nil && alone[0] != '"'
}
