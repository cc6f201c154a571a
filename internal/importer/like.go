package importer

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// manyFields are as many as no object shares with a type of Kubernetes by chance.
const manyFields = 4

// kubernetesName returns the name of the Kubernetes type that an object nearly is, empty for none.
// Of several it is the one that the names of all places speak for. Conditions are copied everywhere
// and are none of Kubernetes' own, and fields without descriptions may have their names by chance.
func (o *object) kubernetesName() string {
	fields := fieldDescriptions(o.node)
	described := false
	for _, description := range fields {
		described = described || description != ""
	}
	var names []string
	for _, name := range kubetypes.Like(fields) {
		name = name[strings.LastIndexByte(name, '.')+1:]
		if name == "VolumeResourceRequirements" {
			name = "ResourceRequirements" // which is as old as resources
		}
		if !strings.HasSuffix(name, "Condition") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	best, speaking := names[0], 0
	for i, p := range o.places {
		closest, shared := closestName(names, p.label)
		if len(names) > 1 && (closest == "" || i > 0 && closest != best) {
			return ""
		}
		if best = closest; speaksFor(p.label, shared) {
			speaking++
		}
	}
	if !described && len(fields) < manyFields && speaking*2 < len(o.places) {
		return ""
	}
	return best
}

// leadingName is the name of a Go type that a description begins with, as Go's own convention has
// it.
var leadingName = lazyregexp.New(`^([A-Z][A-Za-z0-9]+) [a-z]`)

// documentedName returns the name that the descriptions at most places begin with, where it is more
// than one word and not what a place is called; empty when there is none. Items and values are
// described as their type is, a field has a description of its own, so that a name in it must have
// a word in common with the field's.
func (o *object) documentedName() string {
	count, called := map[string]int{}, map[string]bool{}
	for _, p := range o.places {
		called[strings.ToLower(p.label)] = true
	}
	for _, p := range o.places {
		match := leadingName().FindStringSubmatch(scalarText(lookupKey(p.node, "description")))
		if match == nil || len(nameWords(match[1])) < 2 {
			continue
		}
		name := match[1]
		if _, shared := closestName([]string{name}, p.label); shared == 0 && !p.element || called[strings.ToLower(name)] {
			continue
		}
		if count[name]++; count[name]*2 > len(o.places) {
			return name
		}
	}
	return ""
}

// fieldDescriptions maps the fields of an object to their descriptions.
func fieldDescriptions(n *yaml.Node) map[string]string {
	fields := map[string]string{}
	for _, e := range entriesOf(lookupKey(n, "properties")) {
		fields[e.key.Value] = scalarText(lookupKey(e.value, "description"))
	}
	return fields
}

// speaksFor reports whether most words of a label are among those that it shares.
func speaksFor(label string, shared int) bool {
	words := nameWords(label)
	if words[len(words)-1] == "Ref" {
		words = words[:len(words)-1]
	}
	return shared*2 > len(words)
}

// closestName returns the name that shares the most words with a label; empty when several share as
// many.
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

// sameWord reports whether two words are one: in another case, of more than one, or shortened as in
// Arg and Argument.
func sameWord(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSuffix(a, "s")), strings.ToLower(strings.TrimSuffix(b, "s"))
	return a == b || min(len(a), len(b)) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
