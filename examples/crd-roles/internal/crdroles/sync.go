// Package crdroles creates a ClusterRole for every CustomResourceDefinition that asks for one.
package crdroles

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants one ClusterRole. The spec file says which CRDs are parents. The runtime prunes the
// ClusterRole of a CRD that is none any more.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	want.ClusterRoles.Add(readerFor(req.Parent))
	return &Response{Children: want}, nil
}

// readerFor returns the ClusterRole that may read the objects of a CRD's kind.
func readerFor(crd *apiextensionsv1.CustomResourceDefinition) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: crd.Name + "-reader"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{crd.Spec.Group},
			Resources: []string{crd.Spec.Names.Plural},
			Verbs:     []string{"get", "list", "watch"},
		}},
	}
}
