package importer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// Words that do not describe a type by themselves.
var (
	// genericWords words need another word before them, as in RouteConfig. A type is never called
	// one of these alone, except for vague ones.
	genericWords = wordSet(`Additional All And Any Arg Args Attribute Attributes Base By Common Config Configuration Content
		Custom Data Default Defaults Definition Detail Details Element Entry Extra Field For From Global Group If In Info
		Input Is Item Items Key Kind List Local Map Meta Metadata Mode Name Not Object On One Option Options Or Other Out
		Output Param Parameter Parameters Params Properties Property Ref Reference Result Results Root Rule Section Setting
		Settings Source Spec Specification State Status Target Template To Type Value Values With`)
	// vagueWords words are generic, but name a type if several fields end with them: readConfig and
	// writeConfig → Config.
	vagueWords = wordSet(`Config Configuration Metadata Options Parameters Reference Result Rule Settings Source State Target
		Template`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

func isGeneric(name string) bool {
	return len(name) < 2 || genericWords[name] || strings.HasPrefix(name, "X") && len(name) > 1 && unicode.IsDigit(rune(name[1]))
}

// joinNames returns outer + name, with the words in between that both have only once: HTTPRoute and
// RouteRule → HTTPRouteRule.
func joinNames(outer, name string) string {
	before, after := nameWords(outer), nameWords(name)
	for shared := min(len(before), len(after)); shared > 0; shared-- {
		if slices.Equal(before[len(before)-shared:], after[:shared]) {
			return outer + strings.Join(after[shared:], "")
		}
	}
	return outer + name
}

// nameWords splits a Go name into its words: HTTPRouteIPs into HTTP, Route and IPs.
func nameWords(name string) []string {
	var words []string
	start := 0
	for i := 1; i < len(name); i++ {
		if startsWord(name, i) {
			words = append(words, name[start:i])
			start = i
		}
	}
	return append(words, name[start:])
}

// startsWord reports whether a word of a Go name begins at i: at a capital after a small letter or
// a digit, or at the last of several capitals, as in HTTPRoute. IPs and IPv4 are one word.
func startsWord(name string, i int) bool {
	capital := func(i int) bool { return i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	switch {
	case !capital(i) || i+1 == len(name) && capital(i-1):
		return false
	case !capital(i - 1):
		return true
	case capital(i+1) || name[i+1] >= '0' && name[i+1] <= '9':
		return false
	case name[i+1] == 's':
		return i+2 < len(name) && !capital(i+2)
	}
	return name[i+1] != 'v'
}

// noPlural matches words that end like a plural and are none.
var noPlural = lazyregexp.New(`(?i)^(m?tls|dns|aws|redis|kubernetes|(meta)?data|criteria)$`)

// elementLabel returns the label of an item or a value: the singular of the label of its list or
// map.
func elementLabel(list string) string {
	words := nameWords(list)
	last := words[len(words)-1]
	switch short, plural := strings.CutSuffix(last, "s"); {
	case plural && short == strings.ToUpper(short):
		return strings.TrimSuffix(list, "s") // IPs
	case noPlural().MatchString(last):
		return list
	}
	if singular := flect.Singularize(last); len(singular) > 2 {
		last = singular
	}
	return strings.Join(words[:len(words)-1], "") + last
}
