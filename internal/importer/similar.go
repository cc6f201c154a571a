package importer

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// manyFields is the number of fields from which on an object has the same fields as a Kubernetes
// type on purpose, not by chance.
const manyFields = 4

// similarTypeName returns the name of the Kubernetes type that an object is similar to, or "". If
// there are several, it is the one closest to the labels of all occurrences. Many CRDs have copies
// of condition types, so these do not count. Objects of few fields without descriptions may be
// similar by chance: most of their labels must have the words of the type.
func (o *object) similarTypeName() string {
	fields := fieldDescriptions(o.node)
	described := false
	for _, description := range fields {
		described = described || description != ""
	}
	var names []string
	for _, name := range kubetypes.SimilarTypes(fields) {
		name = name[strings.LastIndexByte(name, '.')+1:]
		if name == "VolumeResourceRequirements" {
			name = "ResourceRequirements" // nearly the same type, under the older and better known name
		}
		if !strings.HasSuffix(name, "Condition") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	best, speaking := names[0], 0
	for i, p := range o.occurrences {
		closest, shared := closestName(names, p.label)
		if len(names) > 1 && (closest == "" || i > 0 && closest != best) {
			return ""
		}
		if best = closest; mostWordsShared(p.label, shared) {
			speaking++
		}
	}
	if !described && len(fields) < manyFields && speaking*2 < len(o.occurrences) {
		return ""
	}
	return best
}

// leadingName matches the name of a Go type at the beginning of a description, where the comments
// of Go types have it.
var leadingName = lazyregexp.New(`^([A-Z][A-Za-z0-9]+) [a-z]`)

// documentedName returns the type name that most descriptions of an object begin with, or "". It
// ignores names of one word, which may be any noun, and names that a label has already. Items and
// values are described by the comment of their type. Fields are described by their own comment, so
// a name counts only if it shares a word with the label: for the field tls, "TLSConfig has …" does,
// and "Prometheus …" does not.
func (o *object) documentedName() string {
	count, called := map[string]int{}, map[string]bool{}
	for _, p := range o.occurrences {
		called[strings.ToLower(p.label)] = true
	}
	for _, p := range o.occurrences {
		match := leadingName().FindStringSubmatch(scalarText(lookupKey(p.node, "description")))
		if match == nil || len(nameWords(match[1])) < 2 {
			continue
		}
		name := match[1]
		if _, shared := closestName([]string{name}, p.label); shared == 0 && !p.element || called[strings.ToLower(name)] {
			continue
		}
		if count[name]++; count[name]*2 > len(o.occurrences) {
			return name
		}
	}
	return ""
}

// fieldDescriptions returns the descriptions of an object's fields, by name.
func fieldDescriptions(n *yaml.Node) map[string]string {
	fields := map[string]string{}
	for _, e := range entriesOf(lookupKey(n, "properties")) {
		fields[e.key.Value] = scalarText(lookupKey(e.value, "description"))
	}
	return fields
}

// mostWordsShared reports whether shared is the number of most words of a label, a final Ref aside.
func mostWordsShared(label string, shared int) bool {
	words := nameWords(label)
	if words[len(words)-1] == "Ref" {
		words = words[:len(words)-1]
	}
	return shared*2 > len(words)
}

// closestName returns the name that shares the most words with a label, and their number. It
// returns "" if several names share the same number.
func closestName(names []string, label string) (closest string, shared int) {
	for i, name := range names {
		count := 0
		for _, word := range nameWords(label) {
			if slices.ContainsFunc(nameWords(name), func(other string) bool { return sameWord(word, other) }) {
				count++
			}
		}
		switch {
		case i == 0 || count > shared:
			closest, shared = name, count
		case count == shared:
			closest = ""
		}
	}
	return closest, shared
}

// sameWord reports whether two words have one meaning: they may differ in case and in a plural s,
// and one may be short for the other, as Arg for Argument.
func sameWord(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSuffix(a, "s")), strings.ToLower(strings.TrimSuffix(b, "s"))
	return a == b || min(len(a), len(b)) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
