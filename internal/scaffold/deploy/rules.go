package deploy

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// leaderRules are what leader election needs in the operator's own namespace: its lease, and events about it.
func leaderRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("coordination.k8s.io", "leases", "get", "create", "update"),
		rule("", "events", "create", "patch"),
	}
}

// metricsRules are what serving metrics needs: asking the API server who a client is and what it may read.
func metricsRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		rule("authentication.k8s.io", "tokenreviews", "create"),
		rule("authorization.k8s.io", "subjectaccessreviews", "create"),
	}
}

// kindRules are what the operator does to parents and children, wherever it watches them.
func (o Operator) kindRules() []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, k := range o.Kinds {
		rules = append(rules, k.rules()...)
	}
	for _, r := range o.Rules {
		if r.Namespace == "" && r.RoleName == "" {
			rules = append(rules, policyRule(r))
		}
	}
	return rules
}

func (k Kind) rules() []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		// Even where the spec does not say finalize: an earlier one may have, and parents that the runtime could
		// not take the finalizer off would never go.
		rule(k.Group, k.Plural, "get", "list", "watch", "patch"),
		rule("events.k8s.io", "events", "create", "patch"),
	}
	if k.HasStatus {
		rules = append(rules, rule(k.Group, k.Plural+"/status", "patch"))
	}
	if len(k.Children) > 0 {
		// An owner reference that blocks the owner's deletion is refused to those who could not update its finalizers.
		rules = append(rules, rule(k.Group, k.Plural+"/finalizers", "update"))
	}
	for _, c := range k.Children {
		rules = append(rules, rule(c.Group, c.Plural, c.verbs()...))
	}
	for _, r := range k.Related {
		rules = append(rules, rule(r.Group, r.Plural, "get", "list", "watch"))
	}
	for _, r := range k.Rules {
		rules = append(rules, policyRule(r))
	}
	return rules
}

func policyRule(r spec.PolicyRule) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: r.APIGroups, Resources: r.Resources, Verbs: r.Verbs,
		ResourceNames: r.ResourceNames, NonResourceURLs: r.NonResourceURLs,
	}
}

// verbs are what the runtime does to the children of a kind. An apply that creates needs create and patch both, so
// that even children which are never changed afterwards need the same as others. Those of a kind that is no longer made
// are deleted, or released, which is a patch.
func (c Child) verbs() []string {
	if c.PruneOnly {
		return []string{"list", "watch", "patch", "delete"}
	}
	return []string{"get", "list", "watch", "create", "patch", "delete"}
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
