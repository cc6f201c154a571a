package deploy

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// ownRules returns the permissions that the operator always has in its own namespace: for the Lease that elects the
// leader, for the Leases in which its controllers count prunes, and for Events about them. RBAC cannot limit create to
// names.
func (o Operator) ownRules() []rbacv1.PolicyRule {
	own := resourceRule("coordination.k8s.io", "leases", "get", "update")
	own.ResourceNames = []string{o.Name}
	for _, controller := range o.Controllers {
		own.ResourceNames = append(own.ResourceNames, controller.pruneLease())
	}
	rules := []rbacv1.PolicyRule{resourceRule("coordination.k8s.io", "leases", "create"), own}
	if o.Watched() == nil { // the ClusterRole has the permission for Events
		return rules
	}
	return append(rules, eventRule())
}

// eventRule returns the permissions for writing Events, and for counting one that repeats.
func eventRule() rbacv1.PolicyRule {
	return resourceRule("events.k8s.io", "events", "create", "patch")
}

// metricsRules returns the permissions for serving metrics. The operator asks the API server who a
// client is and whether it may read them.
func metricsRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		resourceRule("authentication.k8s.io", "tokenreviews", "create"),
		resourceRule("authorization.k8s.io", "subjectaccessreviews", "create"),
	}
}

// kindRules returns the permissions for parents and related objects, and those without a namespace
// that the author's code asks for.
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
		// patch is needed even without finalize in the spec: an earlier spec may have had it, and
		// the runtime must remove its finalizer, or the parents could never be deleted.
		resourceRule(k.Group, k.Plural, "get", "list", "watch", "patch"),
		eventRule(),
	}
	if k.HasStatus {
		rules = append(rules, resourceRule(k.Group, k.Plural+"/status", "patch"))
	}
	if slices.ContainsFunc(k.Children, k.isOwnerOf) {
		// The API server refuses an owner reference that blocks the owner's deletion, unless the
		// writer may update the owner's finalizers.
		rules = append(rules, resourceRule(k.Group, k.Plural+"/finalizers", "update"))
	}
	for _, r := range k.Related {
		rules = append(rules, relatedRule(r))
		if r.Through != nil {
			rules = append(rules, resourceRule(r.Through.Group, r.Through.Plural, "list", "watch"))
		}
	}
	for _, r := range k.Rules {
		rules = append(rules, policyRule(r))
	}
	return rules
}

// isOwnerOf reports whether children carry owner references to their parents.
func (k Kind) isOwnerOf(c kinds.Child) bool {
	return !k.Unreferenced && !c.Spec.ForbidDisconnect && (c.Namespaced || !k.Namespaced)
}

// relatedRule returns the permissions for reading related objects, for patching and for deleting them. A fixed
// name restricts the rule: the API server allows to list and watch a single name with it.
func relatedRule(r kinds.Related) rbacv1.PolicyRule {
	var verbs []string
	if isReadLive(r.Spec) {
		verbs = append(verbs, "get")
	}
	if r.Spec.Access != spec.AccessGet {
		verbs = append(verbs, "list", "watch")
	}
	if r.Spec.Patch {
		verbs = append(verbs, "patch")
	}
	if r.Spec.Delete {
		verbs = append(verbs, "delete")
	}
	rule := resourceRule(r.Group, r.Plural, verbs...)
	if r.Spec.Name != "" {
		rule.ResourceNames = []string{r.Spec.Name}
	}
	return rule
}

// isReadLive reports whether the runtime reads related objects one by one: those of a selection whose watch shows
// metadata alone, or not yet the name, and those that it has written itself and that its watch does not show in time.
func isReadLive(r spec.Related) bool {
	isSelected := r.NameFrom != "" || r.SelectorFrom != "" || r.Dynamic
	return r.Access == spec.AccessGet || isSelected && r.Cache != spec.CacheMetadata || r.Patch || r.Delete
}

func policyRule(r spec.PolicyRule) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: r.APIGroups, Resources: r.Resources, Verbs: r.Verbs,
		ResourceNames: r.ResourceNames, NonResourceURLs: r.NonResourceURLs,
	}
}

// childVerbs returns the verbs for the children of a kind. An apply that creates an object needs
// create and patch. Children of a kind with pruneOnly are deleted, or orphaned with a patch; leaked
// ones are read live first.
func (k Kind) childVerbs(c kinds.Child) []string {
	verbs := []string{"get", "list", "watch", "create", "patch", "delete"}
	switch {
	case c.Spec.PruneOnly:
		return slices.DeleteFunc(verbs, func(verb string) bool { return verb == "create" })
	case k.neverDeletes(c):
		return verbs[:5]
	}
	return verbs
}

// neverDeletes reports whether the operator leaves children alone once they exist, and leaves them when it is done with
// them. The API server lets only who may delete an object change its owner references, which orphaning does.
func (k Kind) neverDeletes(c kinds.Child) bool {
	return c.Spec.Update == spec.CreateOnly && c.Spec.WhenDropped == spec.Orphan && c.Spec.WhenDeleted == spec.Orphan && !k.isOwnerOf(c)
}

func resourceRule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}
