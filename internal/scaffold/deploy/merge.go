package deploy

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// target is what a rule gives rights to. Lists are joined by commas, so that targets can be
// compared.
type target struct{ group, resource, names, urls string }

// grant is what a rule says beside the resources, or beside the groups.
type grant struct{ group, resources, names, urls, verbs string }

// mergeRules returns as few rules as possible, in order, so that a role reads well and never
// depends on the order of the spec: first all verbs for a resource come together, and what a rule
// with * covers is left out; then all resources of a group with the same verbs, and all groups with
// the same resources and verbs.
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

// isCovered reports whether all rights to a target are also given to all resources of its group, or
// of all groups, or to objects of whatever name.
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

// includesAll reports whether verbs hold all of others.
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

// sortVerbs puts verbs into their customary order, each once: * stands for all.
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

// rankIn is the place in an order, after all others for what is not in it.
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
