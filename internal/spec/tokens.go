package spec

import (
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tokenReader splits the markers of a shorthand into names and arguments.
type tokenReader struct {
	d    *decoder
	node *yaml.Node
	text string
	next int // byte of text
	path string
}

// argument is the value of a marker.
type argument struct {
	pos    Pos
	raw    string // as written
	text   string // without quotes
	quoted bool
}

// asNode returns the argument as the YAML node of the keyword. With text, numbers and booleans stay
// text.
func (t argument) asNode(text bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: t.text, Line: t.pos.Line, Column: t.pos.Column}
	if text || t.quoted {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func (r *tokenReader) skipSpace() {
	for r.next < len(r.text) && strings.ContainsRune(" \t\n", rune(r.text[r.next])) {
		r.next++
	}
}

// readUntil reads up to one of the characters in stop.
func (r *tokenReader) readUntil(stop string) string {
	start := r.next
	for r.next < len(r.text) && !strings.ContainsRune(stop, rune(r.text[r.next])) {
		r.next++
	}
	return r.text[start:r.next]
}

// readArgument reads what follows the = of a marker. With bracketed, it reads up to the closing
// bracket. It returns false, after adding a problem, if the rest cannot be read.
func (r *tokenReader) readArgument(name string, valued, bracketed bool) (argument, bool) {
	t := argument{pos: r.d.src.positionWithin(r.node, r.next)}
	if !valued || r.next >= len(r.text) {
		return t, true
	}
	start := r.next
	switch first := r.text[start]; {
	case first == '"' || first == '`':
		end, text, ok := cutQuoted(r.text[start:])
		if !ok {
			r.d.failAt(t.pos, joinPath(r.path, name), "the quote is never closed", "")
			return t, false
		}
		r.next += end
		t.text, t.quoted = text, true
		if r.next < len(r.text) && !strings.ContainsRune(" \t\n", rune(r.text[r.next])) {
			r.d.failAt(r.d.src.positionWithin(r.node, r.next), joinPath(r.path, name), "expected a space after the closing quote", `a quote inside of quotes is written \"`)
			return t, false
		}
	case (first == '[' || first == '{') && bracketed:
		end, ok := cutBracket(r.text[start:])
		if !ok {
			r.d.failAt(t.pos, joinPath(r.path, name), "the bracket is never closed", "")
			return t, false
		}
		r.next += end
		t.text = r.text[start:r.next]
	default:
		t.text = r.readUntil(" \t\n")
	}
	t.raw = r.text[start:r.next]
	return t, true
}

// cutQuoted reads the quoted text that s starts with, and returns its length.
func cutQuoted(s string) (length int, text string, ok bool) {
	if s[0] == '`' {
		end := strings.IndexByte(s[1:], '`')
		if end < 0 {
			return 0, "", false
		}
		return end + 2, s[1 : end+1], true
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			err := json.Unmarshal([]byte(s[:i+1]), &text)
			if err != nil {
				text, err = strconv.Unquote(s[:i+1])
			}
			return i + 1, text, err == nil
		}
	}
	return 0, "", false
}

// cutBracket returns the length of the list or object that s starts with.
func cutBracket(s string) (length int, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"', '`':
			end, _, ok := cutQuoted(s[i:])
			if !ok {
				return 0, false
			}
			i += end - 1
		}
	}
	return 0, false
}

// splitList splits the list that was read last into its items.
func (r *tokenReader) splitList(t argument) ([]argument, bool) {
	inner, ok := strings.CutPrefix(t.raw, "[")
	if !ok || !strings.HasSuffix(inner, "]") {
		return nil, false
	}
	inner = strings.TrimSuffix(inner, "]")
	if strings.TrimSpace(inner) == "" {
		return nil, true
	}
	base := r.next - len(t.raw) + 1 // the list is what was read last
	var items []argument
	for start := 0; start <= len(inner); {
		lead := len(inner[start:]) - len(strings.TrimLeft(inner[start:], " \t\n"))
		start += lead
		item := argument{pos: r.d.src.positionWithin(r.node, base+start)}
		rest := inner[start:]
		length := strings.IndexByte(rest+",", ',')
		if rest != "" && (rest[0] == '"' || rest[0] == '`') {
			length, item.text, item.quoted = cutQuotedItem(rest)
		} else {
			item.text = strings.TrimSpace(rest[:length])
		}
		item.raw = strings.TrimSpace(rest[:length])
		if item.raw == "" || length < len(rest) && rest[length] != ',' {
			return nil, false
		}
		items = append(items, item)
		start += length + 1
	}
	return items, true
}

// cutQuotedItem reads a quoted item and the spaces after it.
func cutQuotedItem(s string) (length int, text string, quoted bool) {
	length, text, _ = cutQuoted(s)
	for length < len(s) && (s[length] == ' ' || s[length] == '\t') {
		length++
	}
	return length, text, true
}
