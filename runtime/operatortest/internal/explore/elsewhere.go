package explore

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// exploreElsewhere runs the trials that need further namespaces. The operator of a test works in the
// namespace of the test, so another one is started that works in all of them, on parents with a
// label. An operator that may not is left out.
func (x *exploration) exploreElsewhere(plan explorationPlan) {
	x.t.Helper()
	if len(plan.planted)+len(plan.terminating) == 0 || x.isEnough() {
		return
	}
	if reason := x.describeLimit(); reason != "" {
		for _, one := range slices.Concat(plan.planted, plan.terminating) {
			one.skipped = reason
		}
		return
	}
	config := x.config
	options := config.Options
	config.Options = func(o *operator.Options) {
		home := o.Namespaces[0]
		if options != nil {
			options(o)
		}
		o.Namespaces, o.ParentSelector = nil, "test="+home
	}
	wide := startExploration(x.t, config, x.life)
	wide.createNamespace(wide.otherNamespace())
	wide.isWide, wide.siblings, wide.samples, wide.usual = true, x.siblings, x.samples, x.usual
	wide.runTrials(plan.planted)
	wide.runTerminations(plan.terminating)
}

// describeLimit returns why an operator cannot work in all namespaces. It is empty if it can.
func (x *exploration) describeLimit() string {
	const limited = "the operator works in one namespace"
	if x.config.Roles == "" {
		if x.config.User != "" {
			return limited
		}
		return ""
	}
	rights, err := instance.ReadRights(x.config.Roles, x.operator.Namespace, x.operator.Config.User)
	if err != nil {
		x.t.Fatal(err)
	}
	for _, loop := range x.operator.KnownLoops() {
		mapping, err := x.operator.Client.RESTMapper().RESTMapping(loop.Parent.GroupKind(), loop.Parent.Version)
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
func (x *exploration) otherNamespace() string { return "a-" + x.operator.Namespace }

// createNamespace creates a namespace that goes with the test.
func (x *exploration) createNamespace(name string) *corev1.Namespace {
	x.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	x.operator.Create(namespace)
	return namespace
}
