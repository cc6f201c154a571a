// Package configmaplisting lists ConfigMaps: every ConfigMapListing gets a ConfigMap with their
// names.
package configmaplisting

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/configmap-list/api/v1alpha1"
)

// Reconciler lists ConfigMaps.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync desires one ConfigMap, with the names of those that the parent selects. It runs again when
// one of them comes, goes or gets other labels.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	names, want := selectedNames(req), new(Desired)
	want.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: req.Parent.Name},
		Data:       map[string]string{"names": strings.Join(names, "\n")},
	})
	return &Response{
		Children: want,
		Status:   &v1alpha1.ConfigMapListingStatus{Count: int32(len(names))},
	}, nil
}

// selectedNames returns the names of the selected ConfigMaps. A snapshot is sorted, so the names
// are.
//
// If the parent selects from its own namespace, it may select the ConfigMap that Sync desires. That
// one is left out: a list that contains itself would change when it is created, and count one too
// many.
func selectedNames(req *Request) (names []string) {
	for source := range req.Related.Sources.All() {
		if source.Namespace != req.Parent.Namespace || source.Name != req.Parent.Name {
			names = append(names, source.Name)
		}
	}
	return names
}
