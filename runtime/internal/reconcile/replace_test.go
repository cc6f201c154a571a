package reconcile

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// The option deletes the old child, which an author must not be led to where users' data goes with
// it.
func TestUndesiredChildrenOfARefusedChildAreNamed(t *testing.T) {
	for name, expected := range map[string]string{
		"Service":               "; meanwhile Service shop/a, Service shop/b stay, which are undesired: if Service shop/new needs what they hold, add the option operator.Replaces",
		"PersistentVolumeClaim": "; meanwhile PersistentVolumeClaim shop/a, PersistentVolumeClaim shop/b stay, which are undesired",
		"Secret":                "",
	} {
		gvk := schema.GroupVersionKind{Version: "v1", Kind: name}
		served := &childKind{kind: kind{GroupVersionKind: gvk}}
		var undesired []child
		for _, name := range []string{"b", "a"} {
			if expected != "" {
				undesired = append(undesired, served.newChild(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}))
			}
		}
		key := apply.Key{Kind: gvk, Name: types.NamespacedName{Namespace: "shop", Name: "new"}}
		if got := describeUndesired(key, undesired); got != expected {
			t.Errorf("%s: %q, want %q", name, got, expected)
		}
	}
}
