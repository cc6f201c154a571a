// Package configmappropagation copies one ConfigMap into many namespaces, for every ConfigMapPropagation.
package configmappropagation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/configmap-propagation/api/v1alpha1"
)

// Reconciler copies ConfigMaps.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants a copy of the source in each of the target namespaces that exist. Without a source it wants none, so the
// copies go when the source does.
//
// It reads the source and the namespaces from req.Related and runs again when one of them changes: a namespace that is
// made later gets its copy then.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	spec, want := req.Parent.Spec, new(Desired)
	source, found := req.Related.Sources.Get(spec.SourceNamespace + "/" + spec.SourceName)
	existing, missing := targets(req)

	status := v1alpha1.ConfigMapPropagationStatus{ExpectedCopies: int32(len(existing) + len(missing))}
	for _, namespace := range existing {
		if found {
			want.ConfigMaps.Add(copyOf(source, namespace))
		}
		status.ActualCopies += int32(req.Children.ConfigMaps.In(namespace).Len())
	}

	response := &Response{Children: want, Status: &status} // Ready is True when the copies are as desired
	switch {
	case !found:
		response.Conditions = notReady("SourceMissing", fmt.Sprintf("ConfigMap %s/%s does not exist", spec.SourceNamespace, spec.SourceName))
	case len(missing) > 0:
		response.Conditions = notReady("NamespaceMissing", "no such namespace: "+strings.Join(missing, ", "))
	}
	return response, nil
}

// targets returns the namespaces that should have a copy: those that are there, and those that are not. One that is
// being deleted takes nothing new, so it counts as gone. The source's own has the original.
func targets(req *Request) (existing, missing []string) {
	spec, exists := req.Parent.Spec, map[string]bool{}
	for _, name := range spec.TargetNamespaces {
		exists[name] = false
	}
	for _, found := range []operator.Snapshot[*corev1.Namespace]{req.Related.Listed, req.Related.Selected} {
		for namespace := range found.All() {
			exists[namespace.Name] = namespace.DeletionTimestamp == nil
		}
	}
	delete(exists, spec.SourceNamespace)
	for _, name := range slices.Sorted(maps.Keys(exists)) {
		if exists[name] {
			existing = append(existing, name)
		} else {
			missing = append(missing, name)
		}
	}
	return existing, missing
}

func copyOf(source *corev1.ConfigMap, namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: source.Name, Namespace: namespace},
		Immutable:  source.Immutable,
		Data:       source.Data,
		BinaryData: source.BinaryData,
	}
}

func notReady(reason, message string) []metav1.Condition {
	return []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: reason, Message: message}}
}
