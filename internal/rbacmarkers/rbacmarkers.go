// Package rbacmarkers reads the rules of +kubebuilder:rbac markers.
package rbacmarkers

import (
	"slices"

	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Name is how the markers begin.
const Name = "+kubebuilder:rbac"

const example = "such as // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch"

// Parse returns the rules of those markers that are of RBAC.
func Parse(all []gomarkers.Marker) (rules []spec.PolicyRule, problems spec.Problems) {
	for _, m := range gomarkers.Named(all, Name) {
		rule, problem := parseRule(m)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		rules = append(rules, rule)
	}
	return rules, problems
}

// parseRule reads one marker.
func parseRule(m gomarkers.Marker) (spec.PolicyRule, *spec.Problem) {
	parsed, problem := gomarkers.Parse(rbac.RuleDefinition, m, example)
	if problem != nil {
		return spec.PolicyRule{}, problem
	}
	rule := parsed.(rbac.Rule)
	fail := func(message, hint string) (spec.PolicyRule, *spec.Problem) {
		return spec.PolicyRule{}, &spec.Problem{Pos: m.Pos, Path: Name, Message: message, Hint: hint}
	}
	switch {
	case rule.Namespace != "" && len(rule.URLs) > 0:
		return fail("urls have no namespace", "leave namespace out")
	case slices.Contains(slices.Concat(rule.Verbs, rule.Resources, rule.ResourceNames, rule.URLs), ""):
		return fail("has an empty word", "leave it out: no name stands for every object")
	case len(rule.Verbs) == 0:
		return fail("has no verbs", example)
	case len(rule.URLs) > 0 && len(rule.Groups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
		return fail("urls do not go with resources", "write two markers")
	case len(rule.URLs) == 0 && (len(rule.Groups) == 0 || len(rule.Resources) == 0):
		return fail("needs groups and resources, or urls", `the core group is groups=""`)
	}
	return policyRule(rule), nil
}

func policyRule(r rbac.Rule) spec.PolicyRule {
	groups := slices.Clone(r.Groups)
	for i, group := range groups {
		if group == "core" { // as controller-gen reads it
			groups[i] = ""
		}
	}
	return spec.PolicyRule{
		APIGroups: groups, Resources: r.Resources, Verbs: r.Verbs, ResourceNames: r.ResourceNames, NonResourceURLs: r.URLs,
		Namespace: r.Namespace, RoleName: r.RoleName,
	}
}
