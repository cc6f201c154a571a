package spec

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/nearest"
)

// suggestName returns a hint with the known name that is most similar. If there are only a few
// names, it lists them all.
func suggestName(name string, known []string) string {
	if best := nearest.Name(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if len(known) > 24 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// spelledVowel matches names that start with an initialism whose first letter is pronounced with a
// vowel: HTTPProxy.
var spelledVowel = lazyregexp.New(`^[AEFHILMNORSX]([A-Z0-9]|$)`)

// WithArticle returns a name after its indefinite article: a Pod, an Ingress, an HTTPProxy.
func WithArticle(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "AEIOaeio") || spelledVowel().MatchString(name) {
		return "an " + name
	}
	return "a " + name
}

// describeNode returns what a node is, for messages: a list, the number 3.
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

// colonHint returns a hint for a mapping on one line that was probably meant as a text with ": " in
// it.
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
