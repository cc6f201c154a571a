package operatortest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// exploreElsewhere runs the trials that need further namespaces. The operator of a test works in the
// namespace of the test, so another one is started that works in all of them, on parents with a
// label. An operator that may not is left out.
func exploreElsewhere(x *exploration, config Config, plan explorationPlan) {
	x.t.Helper()
	if len(plan.planted)+len(plan.terminating) == 0 || x.isEnough() {
		return
	}
	if reason := describeLimit(x, config); reason != "" {
		for _, one := range slices.Concat(plan.planted, plan.terminating) {
			one.skipped = reason
		}
		return
	}
	options := config.Options
	config.Options = func(o *operator.Options) {
		home := o.Namespace
		if options != nil {
			options(o)
		}
		o.Namespace, o.ParentSelector = "", "test="+home
	}
	wide := startExploration(x.t, config, x.life)
	createNamespace(wide, wide.otherNamespace())
	wide.isWide, wide.siblings, wide.samples, wide.usual = true, x.siblings, x.samples, x.usual
	runTrials(wide, plan.planted)
	runTerminations(wide, plan.terminating)
}

// describeLimit returns why an operator cannot work in all namespaces. It is empty if it can.
func describeLimit(x *exploration, config Config) string {
	const limited = "the operator works in one namespace"
	if config.Roles == "" {
		if config.User != "" {
			return limited
		}
		return ""
	}
	rights, err := readRights(config.Roles, x.c.Namespace, x.c.config.User)
	if err != nil {
		x.t.Fatal(err)
	}
	for _, loop := range knownLoops(x.c) {
		mapping, err := x.c.Client.RESTMapper().RESTMapping(loop.Parent.GroupKind(), loop.Parent.Version)
		if err != nil {
			return err.Error()
		}
		if !areGrantedEverywhere(rights, mapping.Resource.GroupResource()) {
			return limited
		}
	}
	return ""
}

// areGrantedEverywhere reports whether roles grant permissions on a resource in all namespaces.
func areGrantedEverywhere(rights []client.Object, on schema.GroupResource) bool {
	for _, object := range rights {
		role, ok := object.(*rbacv1.ClusterRole)
		if ok && slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.APIGroups, on.Group) && slices.Contains(rule.Resources, on.Resource)
		}) {
			return true
		}
	}
	return false
}

// otherNamespace returns the name of a namespace in which no child of a parent lies. It sorts before
// that of the test.
func (x *exploration) otherNamespace() string { return "a-" + x.c.Namespace }

// createNamespace creates a namespace that goes with the test.
func createNamespace(x *exploration, name string) *corev1.Namespace {
	x.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	x.c.Create(namespace)
	return namespace
}
