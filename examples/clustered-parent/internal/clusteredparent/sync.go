// Package clusteredparent creates a RoleBinding for every ClusterRole that asks for one.
package clusteredparent

import (
	"context"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// annotation of a ClusterRole names the ServiceAccount to bind it to, such as shop/robot.
const annotation = "service-account-binding"

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one RoleBinding, in the namespace of the ServiceAccount. If the annotation names
// another namespace, the runtime prunes the RoleBinding in the former one.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	role, want := req.Parent, new(Desired)
	value := role.Annotations[annotation]
	namespace, account, _ := strings.Cut(value, "/")
	if namespace == "" || account == "" {
		err := fmt.Errorf("annotation %s: %q is not the NAMESPACE/NAME of a ServiceAccount",
			annotation, value)
		return nil, reconcile.TerminalError(err)
	}
	want.RoleBindings.Add(bindingFor(role.Name, namespace, account))
	return &Response{Children: want}, nil
}

// bindingFor returns the RoleBinding of a ClusterRole. It has to name its namespace, because its
// parent has none.
func bindingFor(role, namespace, account string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{
			{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account},
		},
	}
}
