package deploy

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// target is what a rule gives rights to. Lists are joined by commas, so that targets can be compared.
type target struct{ group, resource, names, urls string }

// grant is what a rule says beside the resources.
type grant struct{ group, names, urls, verbs string }

// merge writes rules anew as few as possible and in order, so that a role reads well and never depends on the
// order of the spec: first all verbs for a resource come together, then all resources of a group with the same
// verbs.
func merge(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	verbs := map[target][]string{}
	for _, r := range rules {
		for _, t := range targets(r) {
			verbs[t] = append(verbs[t], r.Verbs...)
		}
	}
	resources := map[grant][]string{}
	for t, v := range verbs {
		g := grant{t.group, t.names, t.urls, strings.Join(sortVerbs(v), ",")}
		resources[g] = append(resources[g], t.resource)
	}
	var merged []rbacv1.PolicyRule
	for g, r := range resources {
		merged = append(merged, g.rule(r))
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

func targets(r rbacv1.PolicyRule) []target {
	if len(r.NonResourceURLs) > 0 {
		return []target{{urls: join(r.NonResourceURLs)}}
	}
	var all []target
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			all = append(all, target{group: group, resource: resource, names: join(r.ResourceNames)})
		}
	}
	return all
}

func (g grant) rule(resources []string) rbacv1.PolicyRule {
	if g.urls != "" {
		return rbacv1.PolicyRule{NonResourceURLs: split(g.urls), Verbs: split(g.verbs)}
	}
	return rbacv1.PolicyRule{
		APIGroups:     []string{g.group},
		Resources:     slices.Sorted(slices.Values(resources)),
		ResourceNames: split(g.names),
		Verbs:         split(g.verbs),
	}
}

// sortVerbs puts verbs into their customary order, each once.
func sortVerbs(verbs []string) []string {
	order := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	sorted := slices.SortedFunc(slices.Values(verbs), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(order, a), rank(order, b)), strings.Compare(a, b))
	})
	return slices.Compact(sorted)
}

// rank is the place in an order, after all others for what is not in it.
func rank(order []string, word string) int {
	if i := slices.Index(order, word); i >= 0 {
		return i
	}
	return len(order)
}

func join(list []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), ",")
}

func split(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, ",")
}
