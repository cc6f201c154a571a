package crdgen

import (
	"slices"
	"strings"
	"unicode"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// newer is what the CEL environment of one Kubernetes version has and that of an older one lacks. A
// rule that compiles in the newer one and mentions none of it compiles in both.
type newer struct {
	names      []string // of functions and macros, as rules write them
	everything bool     // they differ in more than names
}

// newerThan compares the environment that validation compiles rules in with that of an older
// version.
func newerThan(oldest *version.Version) newer {
	from := environment.MustBaseEnvSet(oldest).NewExpressionsEnv()
	to := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
	n := newer{everything: len(from.Validators()) != len(to.Validators())}
	for flag := range 64 { // of cel-go's features, whose numbers have no names outside of it
		n.everything = n.everything || from.HasFeature(flag) != to.HasFeature(flag)
	}
	var macros []string
	for _, m := range from.Macros() {
		macros = append(macros, m.MacroKey())
	}
	for _, m := range to.Macros() {
		if !slices.Contains(macros, m.MacroKey()) {
			n.addName(m.Function())
		}
	}
	known := from.Functions()
	for name, function := range to.Functions() {
		old, found := known[name]
		if !found && strings.HasPrefix(name, "@") {
			continue // what only macros call
		}
		if !found || !slices.Equal(overloadIDs(function), overloadIDs(old)) {
			n.addName(name)
		}
	}
	return n
}

// overloadIDs returns what a function can be called with, sorted.
func overloadIDs[D interface{ ID() string }](function interface{ OverloadDecls() []D }) []string {
	var ids []string
	for _, o := range function.OverloadDecls() {
		ids = append(ids, o.ID())
	}
	slices.Sort(ids)
	return ids
}

// addName notes a name by the part that every use of it has. Operators have none.
func (n *newer) addName(name string) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		n.everything = true
		return
	}
	n.names = append(n.names, last)
}

// isUsedIn reports whether one of the rules may use what is newer.
func (n newer) isUsedIn(rules apiextv1.ValidationRules) bool {
	return slices.ContainsFunc(rules, func(r apiextv1.ValidationRule) bool {
		return n.everything || slices.ContainsFunc(n.names, func(name string) bool {
			return strings.Contains(r.Rule, name) || strings.Contains(r.MessageExpression, name)
		})
	})
}
