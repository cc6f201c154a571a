package operatortest

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// normal returns a desired child as the API server would make it anew: defaulted,
// normalised and changed by admission. It is a dry run under a name that nobody has, so
// that nothing of the live child is in it; nil if the API server refuses it, as it does
// if a port is allocated or a name is checked.
func (c *Cluster) normal(desired testcontrol.Desired) *unstructured.Unstructured {
	data, err := json.Marshal(desired.Content)
	if err != nil {
		return nil
	}
	key := desired.Kind.String() + " " + desired.Name.Namespace + " " + string(data)
	if known, ok := c.normals[key]; ok {
		return known
	}
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(desired.Content)}
	object.SetGroupVersionKind(desired.Kind)
	object.SetNamespace(desired.Name.Namespace)
	object.SetName("truthful-" + rand.String(8))
	err = c.Client.Create(c.context(), object, client.DryRunAll)
	if err != nil {
		object = nil
	}
	if err == nil || apierrors.IsInvalid(err) {
		if c.normals == nil {
			c.normals = map[string]*unstructured.Unstructured{}
		}
		c.normals[key] = object
	}
	return object
}
