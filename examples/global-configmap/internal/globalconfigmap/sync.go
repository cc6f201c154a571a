// Package globalconfigmap gives every namespace a copy of one ConfigMap, for every GlobalConfigMap.
package globalconfigmap

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/global-configmap/api/v1alpha1"
)

// Reconciler copies ConfigMaps.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync desires a copy of the source in every namespace that is not excluded. Without a source it
// desires none, so the copies go with the source.
//
// The source and the namespaces are related objects: Sync runs again when one of them changes, so a
// new namespace gets a copy at once.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	spec, want := req.Parent.Spec, new(Desired)
	source, found := req.Related.Sources.Get(spec.SourceNamespace + "/" + spec.SourceName)
	excluded, err := metav1.LabelSelectorAsSelector(spec.Excluded) // nil selects nothing
	if err != nil {
		return nil, reconcile.TerminalError(fmt.Errorf("spec.excluded: %w", err))
	}

	status := new(v1alpha1.GlobalConfigMapStatus)
	for namespace := range req.Related.Namespaces.All() {
		if excluded.Matches(labels.Set(namespace.Labels)) || !canHaveCopy(namespace, spec) {
			continue
		}
		status.ExpectedCopies++
		if _, ok := req.Children.ConfigMaps.Get(namespace.Name + "/" + spec.SourceName); ok {
			status.ActualCopies++
		}
		if found {
			want.ConfigMaps.Add(copyOf(source, namespace.Name))
		}
	}

	// Ready is True when every copy is as desired, unless the response says otherwise.
	response := &Response{Children: want, Status: status}
	if !found {
		response.Conditions = []metav1.Condition{sourceMissing(spec)}
	}
	return response, nil
}

// canHaveCopy reports whether a namespace can have a copy. The source's own namespace has the
// original, and a namespace that is being deleted accepts no new objects.
func canHaveCopy(namespace *metav1.PartialObjectMetadata, spec v1alpha1.GlobalConfigMapSpec) bool {
	return namespace.Name != spec.SourceNamespace && namespace.DeletionTimestamp == nil
}

func copyOf(source *corev1.ConfigMap, namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: namespace},
		Immutable:  source.Immutable,
		Data:       source.Data,
		BinaryData: source.BinaryData,
	}
}

func sourceMissing(spec v1alpha1.GlobalConfigMapSpec) metav1.Condition {
	return metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "SourceMissing",
		Message: fmt.Sprintf("no ConfigMap %s/%s", spec.SourceNamespace, spec.SourceName),
	}
}
