package deploy

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// leaderRules are what leader election needs in the operator's own namespace: its lease, and events
// about it.
func leaderRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		resourceRule("coordination.k8s.io", "leases", "get", "create", "update"),
		resourceRule("", "events", "create", "patch"),
	}
}

// metricsRules are what serving metrics needs: asking the API server who a client is and what it
// may read.
func metricsRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		resourceRule("authentication.k8s.io", "tokenreviews", "create"),
		resourceRule("authorization.k8s.io", "subjectaccessreviews", "create"),
	}
}

// kindRules are what the operator does beside its children, wherever it watches them.
func (o Operator) kindRules() []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, k := range o.Kinds {
		rules = append(rules, k.policyRules()...)
	}
	for _, r := range o.Rules {
		if r.Namespace == "" && r.RoleName == "" {
			rules = append(rules, policyRule(r))
		}
	}
	return rules
}

func (k Kind) policyRules() []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		// Even where the spec does not say finalize: an earlier one may have, and parents that the
		// runtime could not take the finalizer off would never go.
		resourceRule(k.Group, k.Plural, "get", "list", "watch", "patch"),
		resourceRule("events.k8s.io", "events", "create", "patch"),
	}
	if k.HasStatus {
		rules = append(rules, resourceRule(k.Group, k.Plural+"/status", "patch"))
	}
	if len(k.Children) > 0 {
		// An owner reference that blocks the owner's deletion is refused to those who could not
		// update its finalizers.
		rules = append(rules, resourceRule(k.Group, k.Plural+"/finalizers", "update"))
	}
	for _, r := range k.Related {
		rules = append(rules, relatedRule(r))
	}
	for _, r := range k.Rules {
		rules = append(rules, policyRule(r))
	}
	return rules
}

// relatedRule is what reading related objects needs. A fixed name limits it to that name: the API
// server allows a list and a watch of one name by it.
func relatedRule(r kinds.Related) rbacv1.PolicyRule {
	verbs := []string{"get", "list", "watch"}
	if r.Spec.Access == spec.AccessGet {
		verbs = verbs[:1]
	}
	rule := resourceRule(r.Group, r.Plural, verbs...)
	if r.Spec.Name != "" {
		rule.ResourceNames = []string{r.Spec.Name}
	}
	return rule
}

func policyRule(r spec.PolicyRule) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: r.APIGroups, Resources: r.Resources, Verbs: r.Verbs,
		ResourceNames: r.ResourceNames, NonResourceURLs: r.NonResourceURLs,
	}
}

// childVerbs returns what the runtime does to the children of a kind. An apply that creates needs
// both create and patch, also for children that are never changed afterwards. Children of a kind
// that is only pruned are deleted, or orphaned with a patch; leaked ones are read live before.
func childVerbs(c kinds.Child) []string {
	if c.Spec.PruneOnly {
		return []string{"get", "list", "watch", "patch", "delete"}
	}
	return []string{"get", "list", "watch", "create", "patch", "delete"}
}

func resourceRule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
