package yamltext

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// IsText reports whether every YAML parser reads a plain scalar as a string. For example, some read
// no as a boolean, 1e3 as a number and 2020-01-01 as a date.
func IsText(plain string) bool { return OtherThanText(plain) == "" }

// OtherThanText returns what some YAML parser reads a plain scalar as, such as "a number". It
// returns "" if every parser reads it as a string. It accepts the single letters y and n, although
// YAML 1.1 has them as booleans: fields have these names.
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
	case plain == "=" || !resolvesToText(plain): // YAML 1.1 has a special type for =
		return "no text"
	}
	return ""
}

// booleans are the words that parsers of YAML 1.1, such as other tools of Kubernetes, read as
// booleans.
var booleans = []string{"yes", "no", "on", "off"}

// number matches what some parser reads as a number, even one that is out of range: the numbers of
// YAML 1.1, YAML 1.2 and JSON in all bases, base 60 included.
var number = lazyregexp.New(`^[-+]?(` +
	`0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+` +
	`|([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?` +
	`|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?` +
	`)$`)

// date matches what some parser reads as a date, even an invalid one.
var date = lazyregexp.New(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t]|$)`)

// isLetterBoolean reports whether a text is one of the letters that are booleans in YAML 1.1.
func isLetterBoolean(plain string) bool {
	return len(plain) == 1 && strings.IndexByte("yYnN", plain[0]) >= 0
}

// resolvesToText reports whether the YAML library reads a plain scalar as a string.
func resolvesToText(plain string) bool {
	n := yaml.Node{Kind: yaml.ScalarNode, Value: plain}
	return n.ShortTag() == "!!str"
}
