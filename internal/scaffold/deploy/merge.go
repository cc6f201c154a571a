package deploy

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// target is what a rule gives access to. Lists are joined by commas, so that targets are
// comparable.
type target struct{ group, resource, names, urls string }

// grant is a rule without its resources, or without its groups. Rules with equal grants can be
// merged.
type grant struct{ group, resources, names, urls, verbs string }

// mergeRules returns as few rules as possible, sorted, so that a role is easy to read and does not
// depend on the order of the spec. It merges in three steps:
//
//   - all verbs for a resource, without what a rule with * covers;
//   - all resources of a group with the same verbs;
//   - all groups with the same resources and verbs.
func mergeRules(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	verbs := map[target][]string{}
	for _, r := range rules {
		for _, t := range targetsOf(r) {
			verbs[t] = sortVerbs(append(verbs[t], r.Verbs...))
		}
	}
	resources, groups := map[grant][]string{}, map[grant][]string{}
	for t, v := range verbs {
		if !isCovered(t, verbs) {
			g := grant{group: t.group, names: t.names, urls: t.urls, verbs: strings.Join(v, ",")}
			resources[g] = append(resources[g], t.resource)
		}
	}
	for g, r := range resources {
		group := g.group
		g.group, g.resources = "", joinWords(r)
		groups[g] = append(groups[g], group)
	}
	var merged []rbacv1.PolicyRule
	for g, in := range groups {
		merged = append(merged, g.policyRule(in))
	}
	slices.SortFunc(merged, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(
			slices.Compare(a.NonResourceURLs, b.NonResourceURLs),
			slices.Compare(a.APIGroups, b.APIGroups),
			slices.Compare(a.Resources, b.Resources),
			slices.Compare(a.ResourceNames, b.ResourceNames),
		)
	})
	return merged
}

// isCovered reports whether another rule gives all verbs of a target to all resources of its group,
// to all groups, or to objects of any name.
func isCovered(t target, verbs map[target][]string) bool {
	if t.urls != "" {
		return false
	}
	for _, group := range []string{t.group, "*"} {
		for _, resource := range []string{t.resource, "*"} {
			for _, names := range []string{t.names, ""} {
				wider := target{group: group, resource: resource, names: names}
				if wider != t && includesAll(verbs[wider], verbs[t]) {
					return true
				}
			}
		}
	}
	return false
}

// includesAll reports whether verbs include all others.
func includesAll(verbs, others []string) bool {
	return slices.Contains(verbs, "*") || len(verbs) > 0 && !slices.ContainsFunc(others, func(verb string) bool { return !slices.Contains(verbs, verb) })
}

func targetsOf(r rbacv1.PolicyRule) []target {
	if len(r.NonResourceURLs) > 0 {
		return []target{{urls: joinWords(r.NonResourceURLs)}}
	}
	var all []target
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			all = append(all, target{group: group, resource: resource, names: joinWords(r.ResourceNames)})
		}
	}
	return all
}

func (g grant) policyRule(groups []string) rbacv1.PolicyRule {
	if g.urls != "" {
		return rbacv1.PolicyRule{NonResourceURLs: splitWords(g.urls), Verbs: splitWords(g.verbs)}
	}
	return rbacv1.PolicyRule{
		APIGroups:     slices.Sorted(slices.Values(groups)),
		Resources:     splitWords(g.resources),
		ResourceNames: splitWords(g.names),
		Verbs:         splitWords(g.verbs),
	}
}

// sortVerbs returns verbs in their customary order without duplicates. * replaces all others.
func sortVerbs(verbs []string) []string {
	if slices.Contains(verbs, "*") {
		return []string{"*"}
	}
	order := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	sorted := slices.SortedFunc(slices.Values(verbs), func(a, b string) int {
		return cmp.Or(cmp.Compare(rankIn(order, a), rankIn(order, b)), strings.Compare(a, b))
	})
	return slices.Compact(sorted)
}

// rankIn returns the index of a word in an order. Unknown words come last.
func rankIn(order []string, word string) int {
	if i := slices.Index(order, word); i >= 0 {
		return i
	}
	return len(order)
}

func joinWords(list []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), ",")
}

func splitWords(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, ",")
}
