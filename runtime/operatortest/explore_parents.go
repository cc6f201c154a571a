package operatortest

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// makeParent returns a parent that this operator sees, and the operators of other tests do not.
func makeParent(x *exploration, variant int, name string) client.Object {
	object := x.life.Parents[variant](name)
	if x.home != "" {
		object.SetNamespace(x.home)
	}
	x.c.setNamespace(object)
	if object.GetNamespace() == "" || x.isWide {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels["test"] = x.c.Namespace
		object.SetLabels(labels)
	}
	return object
}

// createParent creates a parent under a new name.
func createParent(x *exploration, h *exploredParent) {
	h.object = makeParent(x, h.variant, x.newName())
	if err := x.c.Client.Create(x.ctx, h.object); err != nil {
		x.t.Errorf("create %s: %v", h.object.GetName(), err)
	}
}

// dropParent deletes a parent with its children, so that later rounds do not become slower.
func dropParent(x *exploration, h *exploredParent) {
	objects := []client.Object{h.object}
	for _, d := range x.author.childrenOf(h.object.GetUID()) {
		child := new(unstructured.Unstructured)
		child.SetGroupVersionKind(d.Kind)
		child.SetName(d.Name.Name)
		child.SetNamespace(d.Name.Namespace)
		objects = append(objects, child)
	}
	for _, object := range objects {
		err := x.c.Client.Delete(x.ctx, object, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		if client.IgnoreNotFound(err) != nil {
			x.t.Log(err)
		}
	}
	x.author.dropParent(h.object.GetUID())
	x.c.history.dropParent(h.object.GetUID())
}

// requireChildren fails the test if Sync fails, or desires no children for some of the parents. It
// skips the test if Sync desires none for all of them.
func requireChildren(x *exploration, parents []*exploredParent) {
	x.t.Helper()
	var without []string
	for _, h := range parents {
		if len(x.author.childrenOf(h.object.GetUID())) > 0 {
			continue
		}
		without = append(without, h.object.GetName())
		for _, result := range x.c.ReconcileResults(h.object) {
			if result.Err != nil {
				x.t.Fatalf("%s has no children, and Sync fails: %v", h.object.GetName(), result.Err)
			}
		}
	}
	switch {
	case len(without) == 0:
	case len(without) < len(parents):
		x.t.Fatalf("Sync desires no children for %s", strings.Join(without, ", "))
	default:
		x.t.Skip("Sync desires no children: there is nothing to explore")
	}
}
