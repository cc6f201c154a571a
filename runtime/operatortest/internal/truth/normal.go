package truth

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// normalizeValues returns a desired child as the API server would create it, with defaults and the
// changes of admission. It is a dry run under an unused name, so that it has nothing of the live
// child. It returns nil if the API server refuses it, for instance because a port is allocated or a
// name is validated.
func (c *Checker) normalizeValues(desired testcontrol.Desired) map[string]any {
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
	err = c.Client.Create(c.Context(), object, client.DryRunAll)
	if err != nil {
		object.Object = nil
	}
	if err == nil || apierrors.IsInvalid(err) {
		c.normals[key] = object.Object
	}
	return object.Object
}
