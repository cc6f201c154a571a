package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// IsVisible tells whether a text can stand in a spec file as it is: it has no control characters but tabs and line
// ends, and none that hide what is written.
func IsVisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < ' ' || r > '~') && (isControl(r) || isBidi(r) || r == '\ufeff') })
}

// IsText tells whether every reader of YAML takes a plain scalar for text, and not for a number, a boolean, a date
// or nothing.
func IsText(plain string) bool {
	if len(plain) > len("false") && strings.IndexByte("0123456789+-.", plain[0]) < 0 {
		return true
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: plain}
	return n.ShortTag() == "!!str" && !slices.Contains(yaml11Booleans, strings.ToLower(plain))
}
