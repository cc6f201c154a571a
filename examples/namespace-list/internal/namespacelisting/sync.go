// Package namespacelisting lists namespaces: every NamespaceListing gets a ConfigMap with their
// names.
package namespacelisting

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/namespace-list/api/v1alpha1"
)

// Reconciler lists namespaces.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync desires one ConfigMap, with the names of the namespaces that the parent selects. It runs
// again when one of them comes, goes or gets other labels.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	var names []string
	for namespace := range req.Related.Namespaces.All() { // sorted by name
		names = append(names, namespace.Name)
	}
	want := new(Desired)
	want.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name},
		Data:       map[string]string{"names": strings.Join(names, "\n")},
	})
	return &Response{
		Children: want,
		Status:   &v1alpha1.NamespaceListingStatus{Count: int32(len(names))},
	}, nil
}
