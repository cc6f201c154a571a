package spec

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/nearest"
)

// suggestName proposes the known name that was probably meant; with few names it lists them all.
func suggestName(name string, known []string) string {
	if best := nearest.Name(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if len(known) > 24 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// spelledVowel finds names that start with an initialism whose first letter is spoken with a vowel:
// HTTPProxy.
var spelledVowel = lazyregexp.New(`^[AEFHILMNORSX]([A-Z0-9]|$)`)

// WithArticle returns the name of a kind or of a type behind its indefinite article.
func WithArticle(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "AEIOaeio") || spelledVowel().MatchString(name) {
		return "an " + name
	}
	return "a " + name
}

// describeNode names a node for a message.
func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return "the text " + quoteShort(n.Value)
}

// colonHint explains a mapping on one line that was probably meant to be text with ": " inside.
func colonHint(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) == 2 && n.Content[0].Line == n.Content[1].Line {
		return `": " in an unquoted value starts a mapping: quote the value`
	}
	return ""
}

func shortenText(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

func quoteShort(text string) string {
	return strconv.Quote(shortenText(text))
}
