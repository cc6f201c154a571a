package clusteredparent

import (
	"errors"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// testConfig has each operator see the ClusterRoles of its own test only. Their RoleBindings can be
// in any namespace.
func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		Roles: "../../deploy/zz_generated.rbac.yaml",
		Options: func(o *operator.Options) {
			o.ParentSelector, o.Namespaces = "test="+o.Namespaces[0], nil
		},
	}
}

// fixture is a ClusterRole on a real API server, bound to a ServiceAccount in the test's namespace.
type fixture struct {
	*operatortest.Cluster
	t    *testing.T
	role *rbacv1.ClusterRole
}

// start runs the operator; without a cluster the test skips. See make test-e2e.
func start(t *testing.T) *fixture {
	t.Parallel()
	f := &fixture{Cluster: operatortest.Start(t, testConfig()), t: t}
	f.role = newRole(f.Namespace+"-deployer", f.Namespace+"/robot")
	f.role.Labels = map[string]string{"test": f.Namespace}
	f.Create(f.role)
	f.Matches(f.binding(f.Namespace))
	f.Converged(f.role)
	return f
}

// binding is the RoleBinding in a namespace.
func (f *fixture) binding(namespace string) *rbacv1.RoleBinding {
	return bindingFor(f.role.Name, namespace, "robot")
}

// annotate names another ServiceAccount.
func (f *fixture) annotate(account string) {
	f.t.Helper()
	f.Update(f.role, func() {
		metav1.SetMetaDataAnnotation(&f.role.ObjectMeta, annotation, account)
	})
}

// robotMay waits until the robot of a namespace may list the Pods there, or may not.
func (f *fixture) robotMay(namespace string, expected bool) {
	f.t.Helper()
	f.Eventually("the robot of "+namespace+" may list Pods, or may not", func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + namespace + ":robot",
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: "list", Resource: "pods",
			},
		}}
		if err := f.Client.Create(f.t.Context(), review); err != nil {
			return err
		}
		if review.Status.Allowed != expected {
			return errors.New("it is the other way around")
		}
		return nil
	})
}

// TestExplore changes the RoleBinding behind the operator's back, changes what Sync desires, and
// lets requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *rbacv1.ClusterRole { return newRole(name, "default/robot") }
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

func TestAnotherServiceAccount(t *testing.T) {
	f := start(t)
	f.robotMay(f.Namespace, true)

	// A change of the account alone changes the RoleBinding.
	before := f.binding(f.Namespace)
	f.Exists(before)
	f.annotate(f.Namespace + "/other")
	f.Matches(bindingFor(f.role.Name, f.Namespace, "other"))
	f.robotMay(f.Namespace, false)
	after := f.binding(f.Namespace)
	if f.Get(after); after.UID != before.UID {
		t.Error("the RoleBinding was recreated")
	}

	// In another namespace, it is another RoleBinding.
	elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: f.Namespace + "-2"}}
	f.Create(elsewhere)
	f.annotate(elsewhere.Name + "/robot")
	f.Matches(f.binding(elsewhere.Name))
	f.Gone(after)
	f.robotMay(elsewhere.Name, true)
	f.Converged(f.role)
	f.Truthful(f.role)
}

func TestDriftIsRepaired(t *testing.T) {
	f := start(t)
	drifted := f.binding(f.Namespace)
	f.Update(drifted, func() {
		drifted.Labels["theirs"] = "kept"
		drifted.Subjects[0].Name = "intruder"
	})
	repaired := f.binding(f.Namespace)
	repaired.Labels = map[string]string{"theirs": "kept"}
	f.Matches(repaired)
	f.Converged(f.role)

	f.Delete(drifted)
	f.Gone(drifted)
	f.Matches(f.binding(f.Namespace))
	f.Converged(f.role)
}

// While the operator is down, somebody puts a RoleBinding of another role in the place of the child,
// with all its marks. The API server changes no roleRef, so the operator recreates it.
func TestAnotherRoleRefIsRecreated(t *testing.T) {
	f := start(t)
	binding := f.binding(f.Namespace)
	f.Exists(binding)
	f.Stop()
	f.Delete(binding)
	f.Gone(binding)
	other := binding.DeepCopy()
	other.ResourceVersion, other.UID, other.ManagedFields = "", "", nil
	other.RoleRef.Name = "cluster-admin"
	f.Create(other)
	f.Update(other, func() { other.ManagedFields = []metav1.ManagedFieldsEntry{{}} })
	f.Restart()
	f.Gone(other)
	f.Matches(f.binding(f.Namespace))
	f.Converged(f.role)
}

func TestAWrongAnnotationLeavesTheRoleBinding(t *testing.T) {
	f := start(t)
	f.annotate("robot")
	f.Eventually("Sync fails", func() error {
		if f.Errors(f.role)["SyncFailed"] == 0 {
			return errors.New("it does not")
		}
		return nil
	})
	f.Settled()
	f.Matches(f.binding(f.Namespace))
	f.annotate(f.Namespace + "/robot")
	f.Converged(f.role)
}

func TestTheRoleBindingGoesWithTheAnnotation(t *testing.T) {
	f := start(t)
	binding := f.binding(f.Namespace)
	for _, isDown := range []bool{false, true} {
		f.Exists(binding)
		if isDown {
			f.Stop()
		}
		f.Update(f.role, func() { delete(f.role.Annotations, annotation) })
		if isDown {
			f.Restart()
		}
		f.Gone(binding)
		f.Settled()
		f.annotate(f.Namespace + "/robot")
		f.Matches(f.binding(f.Namespace))
		f.Converged(f.role)
	}
}

func TestTheRoleBindingGoesWithTheClusterRole(t *testing.T) {
	f := start(t)
	f.Truthful(f.role)
	binding := f.binding(f.Namespace)
	f.Exists(binding)
	f.Delete(f.role)
	f.Gone(f.role, binding)
}

// Whoever may delete a ClusterRole does not keep its RoleBinding by that.
func TestTheRoleBindingGoesWithCascadeOrphan(t *testing.T) {
	f := start(t)
	binding := f.binding(f.Namespace)
	f.Exists(binding)
	f.Settled()
	if err := f.Client.Delete(t.Context(), f.role, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		t.Fatal(err)
	}
	f.Gone(f.role, binding)
}
