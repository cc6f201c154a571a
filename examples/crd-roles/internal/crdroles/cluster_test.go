package crdroles

import (
	"errors"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// testConfig has each operator see the CRDs of its own test only.
func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Options: func(o *operator.Options) { o.ParentSelector = "test=" + o.Namespaces[0] },
	}
}

// start runs the operator against a real API server; without one the test skips. See make test-e2e.
// It creates a CRD whose group no other test has, and returns it and its ClusterRole.
func start(t *testing.T) (
	*operatortest.Cluster, *apiextensionsv1.CustomResourceDefinition, *rbacv1.ClusterRole,
) {
	t.Parallel()
	cluster := operatortest.Start(t, testConfig())
	group := cluster.Namespace + ".crd-roles.example.com"
	crd := newCRD("gadgets", group)
	crd.Labels = map[string]string{"test": cluster.Namespace}
	cluster.Create(crd)
	cluster.Matches(reader("gadgets", group))
	cluster.Converged(crd)
	return cluster, crd, reader("gadgets", group)
}

// TestExplore changes the ClusterRole behind the operator's back, changes what Sync desires, and
// lets requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *apiextensionsv1.CustomResourceDefinition {
		plural, _, _ := strings.Cut(name, ".")
		return newCRD(plural, "explored.crd-roles.example.com") // its name ends in the group
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{
		Parents: operatortest.ParentsOf(named),
		AtOnce:  16,
	})
}

func TestTheClusterRoleGrantsWhatItSays(t *testing.T) {
	cluster, crd, role := start(t)
	cluster.Create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "ada"}},
	})
	may := func(verb string) bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "ada",
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: cluster.Namespace, Verb: verb, Group: crd.Spec.Group, Resource: "gadgets",
			},
		}}
		if err := cluster.Client.Create(t.Context(), review); err != nil {
			t.Fatal(err)
		}
		return review.Status.Allowed
	}
	cluster.Eventually("Ada may list gadgets", func() error {
		if !may("list") {
			return errors.New("she may not")
		}
		return nil
	})
	if may("delete") {
		t.Error("Ada may delete gadgets")
	}
}

func TestDriftIsRepaired(t *testing.T) {
	cluster, crd, role := start(t)
	cluster.Update(role, func() {
		role.Labels["theirs"] = "kept"
		role.Rules[0].Verbs = append(role.Rules[0].Verbs, "delete")
	})
	repaired := reader("gadgets", crd.Spec.Group)
	repaired.Labels = map[string]string{"theirs": "kept"}
	cluster.Matches(repaired)
	cluster.Converged(crd)
	cluster.Truthful(crd)

	cluster.Delete(role)
	cluster.Gone(role)
	cluster.Matches(reader("gadgets", crd.Spec.Group))
	cluster.Converged(crd)
}

func TestTheClusterRoleGoesWithTheAnnotation(t *testing.T) {
	cluster, crd, role := start(t)
	for _, isDown := range []bool{false, true} {
		if isDown {
			cluster.Stop()
		}
		cluster.Update(crd, func() { crd.Annotations["enable-default-roles"] = "no" })
		if isDown {
			cluster.Restart()
		}
		cluster.Gone(role)
		cluster.Settled()

		cluster.Update(crd, func() { crd.Annotations["enable-default-roles"] = "yes" })
		cluster.Exists(role)
		cluster.Converged(crd)
	}
}

func TestTheClusterRoleGoesWithTheCRD(t *testing.T) {
	cluster, crd, role := start(t)
	cluster.Truthful(crd)
	if cluster.Get(crd); len(crd.Finalizers) > 1 { // one is that of the API server
		t.Errorf("the CRD has the finalizers %v", crd.Finalizers)
	}
	cluster.Delete(crd)
	cluster.Gone(crd, role)
}
