package arbitrary

import (
	"regexp"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// literal finds the texts in a CEL expression.
var literal = regexp.MustCompile(`r?'(?:[^'\\]|\\.)*'|r?"(?:[^"\\]|\\.)*"`)

// manyLiterals is how many texts of rules are tried for one value.
const manyLiterals = 24

// withLiterals returns the texts that rules compare with, then those of the rules above.
func withLiterals(rules apiextv1.ValidationRules, above []string) []string {
	var found []string
	for _, rule := range rules {
		for _, quoted := range literal.FindAllString(rule.Rule, -1) {
			raw := quoted[0] == 'r'
			text := strings.TrimPrefix(quoted, "r")
			text = text[1 : len(text)-1]
			if !raw {
				text = strings.ReplaceAll(text, `\\`, `\`)
			}
			if !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	if len(found) == 0 {
		return above
	}
	found = append(found, above...)
	return found[:min(len(found), manyLiterals)]
}

// fromLiterals returns the texts of rules, and for those that are regular expressions texts that
// they match.
func (m *scalarMaker) fromLiterals(l limits) []string {
	var all []string
	for _, text := range l.literals {
		all = append(all, text, text+"a")
		if !strings.ContainsAny(text, `^$[\(`) {
			continue
		}
		for range 3 {
			if s, ok := matchingText(text, int(m.random.Uint32())); ok {
				all = append(all, s)
			}
		}
	}
	return all
}
