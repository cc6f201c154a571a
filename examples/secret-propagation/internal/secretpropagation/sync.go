// Package secretpropagation copies one Secret into many namespaces, for every SecretPropagation.
package secretpropagation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/secret-propagation/api/v1alpha1"
)

// Reconciler copies Secrets.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync desires a copy of the source in every namespace that the parent selects. Without a source it
// desires none, so the copies go with the source.
//
// The source and the namespaces are related objects: Sync runs again when one of them changes, so a
// new value of the source reaches all copies at once.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	spec, want := req.Parent.Spec, new(Desired)
	source, found := req.Related.Sources.Get(spec.SourceNamespace + "/" + spec.SourceName)

	status := new(v1alpha1.SecretPropagationStatus)
	for namespace := range req.Related.Targets.All() {
		if namespace.Name == spec.SourceNamespace || namespace.DeletionTimestamp != nil {
			continue // it has the original, or accepts no new objects
		}
		status.ExpectedCopies++
		if _, ok := req.Children.Secrets.Get(namespace.Name + "/" + spec.SourceName); ok {
			status.ActualCopies++
		}
		if found {
			want.Secrets.Add(copyOf(source, namespace.Name))
		}
	}

	// Ready is True when every copy is as desired, unless the response says otherwise.
	response := &Response{Children: want, Status: status}
	if !found {
		response.Conditions = []metav1.Condition{sourceMissing(spec)}
	}
	return response, nil
}

func copyOf(source *corev1.Secret, namespace string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: namespace},
		Type:       source.Type,
		Immutable:  source.Immutable,
		Data:       source.Data,
	}
}

func sourceMissing(spec v1alpha1.SecretPropagationSpec) metav1.Condition {
	return metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "SourceMissing",
		Message: fmt.Sprintf("no Secret %s/%s", spec.SourceNamespace, spec.SourceName),
	}
}
