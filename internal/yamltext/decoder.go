package yamltext

import (
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// Decoder reads the documents of a text, also where the YAML library refuses what YAML and JSON have: the directive
// %YAML 1.2, and characters that are escaped as surrogate pairs. Places are those of the text.
type Decoder struct {
	decoder *yaml.Decoder
	pairs   bool // surrogate pairs are written as private characters
}

// NewDecoder returns the Decoder of a text.
func NewDecoder(text string) *Decoder {
	text, pairs := hidePairs(writeDirectivesAsVersion11(text))
	return &Decoder{yaml.NewDecoder(strings.NewReader(text)), pairs}
}

// Decode reads the next document; the error is io.EOF when there is none.
func (d *Decoder) Decode(n *yaml.Node) error {
	if err := d.decoder.Decode(n); err != nil {
		return err
	}
	if d.pairs {
		showPairs(n)
	}
	return nil
}

var version12 = lazyregexp.New(`^(%YAML[ \t]+1\.)2([ \t\r\n]|$)`)

// writeDirectivesAsVersion11 returns a text whose directives say 1.1 where they say 1.2: to the library both are the same. Directives
// stand before a document only.
func writeDirectivesAsVersion11(text string) string {
	if !strings.Contains(text, "%YAML") {
		return text
	}
	var out strings.Builder
	before := true
	for line := range strings.Lines(text) {
		if before {
			line = version12().ReplaceAllString(line, "${1}1$2")
		}
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "...":
			before = true
		case trimmed != "" && trimmed[0] != '#' && line[0] != '%':
			before = false
		}
		out.WriteString(line)
	}
	return out.String()
}

// A surrogate pair is hidden by writing each half as the private character that has an E where it has a D. Its text is
// as long as before, and whoever reads it can tell what it was.
var (
	surrogatePair = lazyregexp.New(`(\\*)\\u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})`)
	hiddenPair    = lazyregexp.New(`\\u[eE][89abAB][0-9a-fA-F]{2}\\u[eE][c-fC-F][0-9a-fA-F]{2}`)
	// private is any character of those that hide, written in any way.
	private = lazyregexp.New(`[\x{e800}-\x{efff}]|\\u[eE][89a-fA-F]|\\U0000[eE][89a-fA-F]`)
)

// hidePairs returns a text with its surrogate pairs hidden, and whether there are any. A text with private characters
// of its own stays as it is.
func hidePairs(text string) (string, bool) {
	if !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) { // as in nearly every text
		return text, false
	}
	if !surrogatePair().MatchString(text) || private().MatchString(text) {
		return text, false
	}
	return surrogatePair().ReplaceAllStringFunc(text, func(found string) string {
		pair := strings.TrimLeft(found, `\`)
		if backslashes := len(found) - len(pair); backslashes%2 == 0 {
			return found // they stand for themselves, not for an escape
		}
		return replaceHighDigits(found, "dD", "eE")
	}), true
}

// replaceHighDigits replaces the first digit of each of the two escapes at the end of a text.
func replaceHighDigits(text, from, to string) string {
	out := []byte(text)
	for _, at := range []int{len(text) - 10, len(text) - 4} {
		out[at] = to[strings.IndexByte(from, out[at])]
	}
	return string(out)
}

// showPairs undoes hidePairs in the values of a node: escapes have become characters, and what only looks like escapes
// is text.
func showPairs(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		if n.Style&yaml.DoubleQuotedStyle != 0 {
			n.Value = joinPairs(n.Value)
		} else {
			n.Value = hiddenPair().ReplaceAllStringFunc(n.Value, func(found string) string { return replaceHighDigits(found, "eE", "dD") })
		}
	}
	for _, below := range n.Content {
		showPairs(below)
	}
}

// joinPairs returns a text with each pair of private characters as the character that it hides.
func joinPairs(text string) string {
	var out strings.Builder
	var high rune
	for _, r := range text {
		switch {
		case r >= 0xe800 && r < 0xec00:
			high = r - 0x1000
		case r >= 0xec00 && r < 0xf000:
			out.WriteRune(utf16.DecodeRune(high, r-0x1000))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
