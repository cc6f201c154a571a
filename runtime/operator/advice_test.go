package operator_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The namespace of an operator that works in some namespaces is deleted, and takes its RoleBinding with it before the
// operator has finalized its parents there. The log says what helps. Elsewhere a missing right is the role's fault.
func TestNamespaceThatGoesWithTheRoleBinding(t *testing.T) {
	r := newRegional(t, desireWeb)
	r.author.finalize = func(context.Context, *Request) (*Response, error) { return &Response{Finalized: true}, nil }
	going, user := r.place("-b"), r.Namespace+"-user"
	groups := []string{"", "test.opgen.dev", "events.k8s.io"}
	r.grant(user, r.Namespace, append(groups, "coordination.k8s.io")...)
	r.grant(user, going, groups...)
	stop := r.run(user, r.Namespace, going)
	site := r.siteAt(going)
	r.Exists(distant(going, "web", ""))
	r.Eventually("it has the finalizer", func() error {
		if r.Get(site); len(site.Finalizers) == 0 {
			return errors.New("it has none")
		}
		return nil
	})
	r.unbind(user, going) // as the namespace controller may do first
	r.Delete(&corev1.Namespace{ObjectMeta: named(&corev1.Namespace{}, going).ObjectMeta})
	const advice = "if namespace "
	r.logs(advice + going + " is being deleted, the operator's RoleBinding went before this object, and finalizer " + site.Finalizers[0] + " has to be removed by hand")
	if n := r.log.count("operator.children"); n > 0 {
		t.Errorf("the log sends its reader to the spec file %d times", n)
	}
	r.Update(site, func() { site.Finalizers = nil })
	r.Gone(site)

	here := r.siteAt(r.Namespace)
	r.Exists(distant(r.Namespace, "web", ""))
	r.unbind(user, r.Namespace)
	r.Update(distant(r.Namespace, "web", ""), func() {})
	r.Update(here, func() { here.Spec.Text = "again" })
	r.logs("the operator's role does not allow it: make deploy applies the generated role")
	if n := r.log.count(advice + r.Namespace + " "); n > 0 {
		t.Errorf("the log speaks of the deletion of %s %d times", r.Namespace, n)
	}
	stop()
	r.Update(here, func() { here.Finalizers = nil })
}

// unbind removes the rights of a user in a namespace.
func (r *regional) unbind(user, namespace string) {
	r.t.Helper()
	binding := new(rbacv1.RoleBinding)
	binding.Namespace, binding.Name = namespace, user
	if err := r.Client.Delete(r.t.Context(), binding); client.IgnoreNotFound(err) != nil {
		r.t.Fatal(err)
	}
}
