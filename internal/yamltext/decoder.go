package yamltext

import (
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// Decoder decodes the documents of a text. It accepts two things that the YAML library refuses
// although YAML and JSON allow them: the directive %YAML 1.2, and characters escaped as surrogate
// pairs such as "\ud83d\ude00". Positions are those of the text, because the Decoder changes no
// length.
type Decoder struct {
	decoder *yaml.Decoder
	pairs   bool // surrogate pairs were replaced by hidePairs
}

// NewDecoder returns a Decoder of a text.
func NewDecoder(text string) *Decoder {
	text, pairs := hidePairs(writeDirectivesAsVersion11(text))
	return &Decoder{yaml.NewDecoder(strings.NewReader(text)), pairs}
}

// Decode decodes the next document. It returns io.EOF if there is none.
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

// writeDirectivesAsVersion11 replaces 1.2 by 1.1 in the directives of a text. The library knows
// only 1.1 and treats both alike. A directive can only be in front of a document, so lines within
// one are left.
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

// A surrogate pair is hidden by replacing the D of each half by an E, which gives two characters of
// the private use area: \ud83d\ude00 becomes \ue83d\uee00. The text keeps its length, and the
// replacement can be undone.
var (
	surrogatePair = lazyregexp.New(`(\\*)\\u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})`)
	hiddenPair    = lazyregexp.New(`\\u[eE][89abAB][0-9a-fA-F]{2}\\u[eE][c-fC-F][0-9a-fA-F]{2}`)
	// private matches every character that a hidden pair could be mistaken for, escaped or not.
	private = lazyregexp.New(`[\x{e800}-\x{efff}]|\\u[eE][89a-fA-F]|\\U0000[eE][89a-fA-F]`)
)

// hidePairs returns a text with its surrogate pairs hidden, and whether there are any. It leaves a
// text that already has such private characters as it is, since they could not be told apart later.
func hidePairs(text string) (string, bool) {
	if !strings.Contains(text, `\ud`) && !strings.Contains(text, `\uD`) { // true for nearly every text
		return text, false
	}
	if !surrogatePair().MatchString(text) || private().MatchString(text) {
		return text, false
	}
	return surrogatePair().ReplaceAllStringFunc(text, func(found string) string {
		pair := strings.TrimLeft(found, `\`)
		if backslashes := len(found) - len(pair); backslashes%2 == 0 {
			return found // the last backslash is escaped itself, so this is plain text
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

// showPairs undoes hidePairs in the values of a node. In double quotes, the library has turned the
// escapes into characters; in other styles they were text and get their D back.
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

// joinPairs replaces each pair of private characters by the one character that the surrogate pair
// stood for, for example U+E83D U+EE00 by U+1F600.
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
