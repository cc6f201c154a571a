package ownership

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var (
	keys  = KeysOf("demo.example.com", "site")
	kinds = map[schema.GroupKind]bool{
		{Group: "demo.example.com", Kind: "Site"}:  true,
		{Group: "demo.example.com", Kind: "Realm"}: false,
		{Kind: "Site"}: false,
	}
)

func TestAChildNamesItsParent(t *testing.T) {
	site := schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Site"}
	realm := schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Realm"}
	for name, test := range map[string]struct {
		parent      Parent
		namespace   string // of the child
		byReference bool
	}{
		"by reference, in its namespace": {Parent{site, types.NamespacedName{Namespace: "a", Name: "web"}, "1"}, "a", true},
		"by reference, a cluster-scoped": {Parent{realm, types.NamespacedName{Name: "web"}, "1"}, "a", true},
		"by label, in another namespace": {Parent{site, types.NamespacedName{Namespace: "a", Name: "web"}, "1"}, "b", false},
		"by label, a cluster-scoped":     {Parent{realm, types.NamespacedName{Name: "web"}, "1"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]any{"name": "child", "namespace": test.namespace}
			keys.Refer(metadata, test.parent, test.byReference)
			child := childOf(t, metadata)
			got, ok := keys.Of(child, kinds)
			if !ok || got.Name != test.parent.Name || got.UID != test.parent.UID || got.Kind.GroupKind() != test.parent.Kind.GroupKind() {
				t.Errorf("got %v, %v", got, ok)
			}
			if Referenced(child, test.parent.UID) != test.byReference {
				t.Errorf("owner references: %v", child.OwnerReferences)
			}
		})
	}
}

func TestWhatIsNoChild(t *testing.T) {
	other := map[string]any{"apiVersion": "v1", "kind": "Service", "name": "web", "uid": "2", "controller": true}
	mark := map[string]any{keys.Label: "1"}
	for name, metadata := range map[string]map[string]any{
		"a copied label":     {"labels": mark},
		"another controller": {"labels": mark, "annotations": map[string]any{keys.Parent: "Site.demo.example.com/a/web"}, "ownerReferences": []any{other}},
		"another kind":       {"labels": mark, "annotations": map[string]any{keys.Parent: "Shop.demo.example.com/a/web"}},
		"nothing":            {},
	} {
		t.Run(name, func(t *testing.T) {
			if parent, ok := keys.Of(childOf(t, metadata), kinds); ok {
				t.Errorf("is a child of %v", parent)
			}
		})
	}
}

func TestTheWayOfOwningChanges(t *testing.T) {
	parent := Parent{schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Site"}, types.NamespacedName{Namespace: "a", Name: "web"}, "1"}
	metadata := map[string]any{"name": "child", "namespace": "a"}
	keys.Refer(metadata, parent, true)
	keys.Refer(metadata, parent, true)
	if references := metadata["ownerReferences"].([]any); len(references) != 1 {
		t.Errorf("referred to twice: %v", references)
	}
	keys.Refer(metadata, parent, false)
	if _, ok := metadata["ownerReferences"]; ok {
		t.Errorf("still refers: %v", metadata)
	}
}

func childOf(t *testing.T, metadata map[string]any) *corev1.ConfigMap {
	t.Helper()
	child := new(corev1.ConfigMap)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": metadata}, child); err != nil {
		t.Fatal(err)
	}
	return child
}
