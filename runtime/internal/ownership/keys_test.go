package ownership

import (
	"fmt"
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
			keys.SetOwner(metadata, test.parent, test.byReference)
			child := childOf(t, metadata)
			got, ok := keys.ParentOf(child, kinds)
			if !ok || got.Name != test.parent.Name || got.UID != test.parent.UID || got.Kind.GroupKind() != test.parent.Kind.GroupKind() {
				t.Errorf("got %v, %v", got, ok)
			}
			if HasOwnerReference(child, test.parent.UID) != test.byReference {
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
		// Where a cluster-scoped parent may have children anywhere, so could whoever plants these.
		"a namespaced parent without a namespace": {"labels": mark, "annotations": map[string]any{keys.Parent: "Site.demo.example.com/web"}},
		"a namespaced parent of no namespace":     {"labels": mark, "annotations": map[string]any{keys.Parent: "Site.demo.example.com//web"}},
		"a cluster-scoped parent in a namespace":  {"labels": mark, "annotations": map[string]any{keys.Parent: "Realm.demo.example.com/a/web"}},
		"nothing":                                 {},
	} {
		t.Run(name, func(t *testing.T) {
			if parent, ok := keys.ParentOf(childOf(t, metadata), kinds); ok {
				t.Errorf("is a child of %v", parent)
			}
		})
	}
}

func TestTheWayOfOwningChanges(t *testing.T) {
	parent := Parent{schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Site"}, types.NamespacedName{Namespace: "a", Name: "web"}, "1"}
	metadata := map[string]any{"name": "child", "namespace": "a"}
	before := fmt.Sprint(metadata)
	for _, byReference := range []bool{true, false} {
		keys.SetOwner(metadata, parent, byReference)
		keys.SetDeletionPolicies(metadata, "Orphan")
		keys.ClearOwner(metadata, parent.UID)
		if after := fmt.Sprint(metadata); after != before {
			t.Errorf("left of a child by reference (%v): %s, want %s", byReference, after, before)
		}
	}
}

func TestClearOwnerKeepsMetadataOfTheAuthor(t *testing.T) {
	of := func(uid string) any { return map[string]any{"uid": uid} }
	metadata := map[string]any{
		"labels":          map[string]any{"app": "web", keys.Label: "1"},
		"annotations":     map[string]any{"open": "yes", keys.Parent: "Site.demo.example.com/a/web", keys.WhenRemoved: "Orphan"},
		"ownerReferences": []any{of("1"), of("2")},
	}
	keys.ClearOwner(metadata, "1")
	want := "map[annotations:map[open:yes] labels:map[app:web] ownerReferences:[map[uid:2]]]"
	if got := fmt.Sprint(metadata); got != want {
		t.Errorf("got %s, want %s", got, want)
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
