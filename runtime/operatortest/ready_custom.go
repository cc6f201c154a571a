package operatortest

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// changeConditions changes the conditions of a custom resource, and keeps the rest of its status.
func (c *Cluster) changeConditions(object client.Object, rules health.Rules, change func(*unstructured.Unstructured, time.Time) error) {
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
	c.changeStatusOf(resource, func() { problem = change(resource, time.Now()) }, write)
	if problem != nil {
		c.t.Fatalf("change the conditions of %s: %v", c.operator.Describe(object), problem)
	}
	c.Get(object)
}
