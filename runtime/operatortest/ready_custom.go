package operatortest

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// setReady sets the condition Ready=True of a custom resource, and keeps the rest of its status.
func (c *Cluster) setReady(object client.Object, rules health.Rules) {
	c.t.Helper()
	resource := new(unstructured.Unstructured)
	resource.SetGroupVersionKind(c.operator.KindOf(object))
	resource.SetName(object.GetName())
	resource.SetNamespace(object.GetNamespace())
	var problem error
	write := func() error { return c.Client.Status().Update(c.t.Context(), resource) }
	if rules.LacksStatus { // its status is a field like any other
		write = func() error { return c.Client.Update(c.t.Context(), resource) }
	}
	c.changeStatusOf(resource, func() { problem = addReady(resource) }, write)
	if problem != nil {
		c.t.Fatalf("make %s ready: %v", c.operator.Describe(object), problem)
	}
	c.Get(object)
}

func addReady(resource *unstructured.Unstructured) error {
	conditions, _, err := unstructured.NestedSlice(resource.Object, "status", "conditions")
	if err != nil {
		return errors.New("status.conditions is no list")
	}
	ready := map[string]any{
		"type": "Ready", "status": string(metav1.ConditionTrue), "reason": "MadeReady", "message": "",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
	for i, condition := range conditions {
		if condition, ok := condition.(map[string]any); ok && condition["type"] == "Ready" {
			conditions[i] = ready
			return unstructured.SetNestedSlice(resource.Object, conditions, "status", "conditions")
		}
	}
	return unstructured.SetNestedSlice(resource.Object, append(conditions, ready), "status", "conditions")
}
