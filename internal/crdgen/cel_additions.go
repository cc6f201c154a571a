package crdgen

import (
	"slices"
	"strings"
	"unicode"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// celAdditions are the functions and macros that the CEL environment of one Kubernetes version has
// and that of an older version lacks. A rule that compiles in the newer environment and uses none
// of them also compiles in the older one, so only few rules are compiled twice.
type celAdditions struct {
	names      []string // of functions and macros, as rules call them
	everything bool     // the environments differ in other ways, so any rule may be affected
}

// celAdditionsSince compares the environment of an older version with the one that the validation
// of CRDs uses.
func celAdditionsSince(oldest *version.Version) celAdditions {
	from := environment.MustBaseEnvSet(oldest).NewExpressionsEnv()
	to := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
	n := celAdditions{everything: len(from.Validators()) != len(to.Validators())}
	for flag := range 64 { // cel-go does not export the names of its feature flags
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
			continue // an internal function that only macros call
		}
		if !found || !slices.Equal(overloadIDs(function), overloadIDs(old)) {
			n.addName(name)
		}
	}
	return n
}

// overloadIDs returns the identifiers of a function's overloads, sorted.
func overloadIDs[D interface{ ID() string }](function interface{ OverloadDecls() []D }) []string {
	var ids []string
	for _, o := range function.OverloadDecls() {
		ids = append(ids, o.ID())
	}
	slices.Sort(ids)
	return ids
}

// addName adds the last part of a function's name, which every call has, such as format of
// cidr.format. Operators have no such name.
func (n *celAdditions) addName(name string) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		n.everything = true
		return
	}
	n.names = append(n.names, last)
}

// isUsedIn reports whether one of the rules may use an addition. It searches the text of the rule,
// so it may report true for a field with the same name.
func (n celAdditions) isUsedIn(rules apiextv1.ValidationRules) bool {
	return slices.ContainsFunc(rules, func(r apiextv1.ValidationRule) bool {
		return n.everything || slices.ContainsFunc(n.names, func(name string) bool {
			return strings.Contains(r.Rule, name) || strings.Contains(r.MessageExpression, name)
		})
	})
}
