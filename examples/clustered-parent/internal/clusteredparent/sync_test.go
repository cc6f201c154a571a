package clusteredparent

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// newRole returns a ClusterRole that asks for a RoleBinding.
func newRole(name, account string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{annotation: account},
		},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"},
		}},
	}
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	want := new(Desired)
	want.RoleBindings.Add(&rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "deployer"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "deployer"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "shop", Name: "robot"}},
	})
	cases := []operatortest.Case[Request, Response]{{
		Name:   "a RoleBinding in the namespace of the ServiceAccount",
		Given:  Request{Parent: newRole("deployer", "shop/robot")},
		Expect: &Response{Children: want},
	}}
	for _, account := range []string{"", "shop", "shop/", "/robot"} {
		cases = append(cases, operatortest.Case[Request, Response]{
			Name:        "no ServiceAccount: " + account,
			Given:       Request{Parent: newRole("deployer", account)},
			ExpectError: `"` + account + `" is not the NAMESPACE/NAME`,
		})
	}
	operatortest.Run(t, new(Reconciler).Sync, cases...)
}
