package yamltext

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// IsText reports whether every reader of YAML takes a plain scalar for text, and not for a number, a boolean, a date
// or nothing.
func IsText(plain string) bool { return OtherThanText(plain) == "" }

// OtherThanText says what some reader of YAML takes a plain scalar for, such as "a number", although others may take it
// for text; empty when it is text to all of them. The single letters y and n are text: fields have these names.
func OtherThanText(plain string) string {
	if plain == "" {
		return "nothing"
	}
	if strings.IndexByte("0123456789+-.", plain[0]) >= 0 {
		switch {
		case number().MatchString(plain):
			return "a number"
		case date().MatchString(plain):
			return "a date"
		}
	} else if len(plain) > len("false") {
		return ""
	}
	switch {
	case slices.Contains(booleans, strings.ToLower(plain)):
		return "a boolean"
	case plain == "=" || !resolvesToText(plain): // = is a type of its own in YAML 1.1
		return "no text"
	}
	return ""
}

// booleans are booleans to readers of YAML 1.1, such as other tools of Kubernetes.
var booleans = []string{"yes", "no", "on", "off"}

// number matches what some reader takes for a number, if only for one beyond all limits: the numbers of YAML 1.1 and 1.2
// and of JSON, in all their bases, that of sixty too.
var number = lazyregexp.New(`^[-+]?(` +
	`0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+` +
	`|([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?` +
	`|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?` +
	`)$`)

// date matches what some reader takes for a date, if only for a wrong one.
var date = lazyregexp.New(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t]|$)`)

// isLetterBoolean reports whether a text is one of the letters that are booleans in YAML 1.1.
func isLetterBoolean(plain string) bool {
	return len(plain) == 1 && strings.IndexByte("yYnN", plain[0]) >= 0
}

// resolvesToText reports whether the YAML library takes a plain scalar for text.
func resolvesToText(plain string) bool {
	n := yaml.Node{Kind: yaml.ScalarNode, Value: plain}
	return n.ShortTag() == "!!str"
}
