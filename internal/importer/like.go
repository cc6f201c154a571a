package importer

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// manyFields are as many as no object shares with a type of Kubernetes by chance.
const manyFields = 5

// like returns the name of the Kubernetes type that an object nearly is, empty for none. Of several it is the one
// that the names of all places speak for. Conditions are copied everywhere and are none of Kubernetes' own, and
// fields without descriptions may have their names by chance.
func (o *object) like() string {
	fields := descriptions(o.node)
	described := slices.ContainsFunc(o.fieldNames(), func(name string) bool { return fields[name] != "" })
	var names []string
	for _, name := range kubetypes.Like(fields) {
		name = name[strings.LastIndexByte(name, '.')+1:]
		if !strings.HasSuffix(name, "Condition") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	best := names[0]
	for i, p := range o.places {
		closest, shared := closestName(names, p.label)
		switch {
		case len(names) > 1 && (closest == "" || i > 0 && closest != best):
			return ""
		case !described && !speaksFor(p.label, shared) && len(fields) < manyFields:
			return ""
		}
		best = closest
	}
	return best
}

func (o *object) fieldNames() []string {
	var names []string
	for _, e := range entries(value(o.node, "properties")) {
		names = append(names, e.key.Value)
	}
	return names
}

// speaksFor tells whether most words of a label are among those that it shares.
func speaksFor(label string, shared int) bool {
	words := nameWords(label)
	if words[len(words)-1] == "Ref" {
		words = words[:len(words)-1]
	}
	return shared*2 > len(words)
}

// closestName returns the name that shares the most words with a label; empty when several share as many.
func closestName(names []string, label string) (closest string, shared int) {
	for i, name := range names {
		count := 0
		for _, word := range nameWords(label) {
			if slices.ContainsFunc(nameWords(name), func(w string) bool { return strings.EqualFold(w, word) }) {
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
