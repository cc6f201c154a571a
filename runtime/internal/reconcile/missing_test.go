package reconcile

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Nothing reconciles the parents of another kind, or of a namespace that the operator does not work in, so that nothing
// would forget them.
func TestChildrenOfParentsThatAreNotReconciledAreNotRemembered(t *testing.T) {
	const deletes = 10_000
	shop, town := schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Shop"}, schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Town"}
	for name, test := range map[string]struct {
		parent    schema.GroupVersionKind
		namespace string
		want      int
	}{
		"of this kind, where the operator works": {shop, "a", deletes},
		"of an earlier version of this kind":     {schema.GroupVersionKind{Group: shop.Group, Version: "v1alpha1", Kind: shop.Kind}, "a", deletes},
		"of another kind":                        {town, "a", 0},
		"in another namespace":                   {shop, "b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := &loop{
				parentKind:  kind{GroupVersionKind: shop},
				states:      newStates(),
				environment: &process.Environment{Settings: process.Settings{Options: process.Options{Namespaces: []string{"a"}}}},
			}
			child := &childKind{entries: &kindEntries{}, parentOf: func(object client.Object) (ownership.Parent, bool) {
				return ownership.Parent{Kind: test.parent, Name: types.NamespacedName{Namespace: test.namespace, Name: object.GetName()}, UID: object.GetUID()}, true
			}}
			child.entries.add(child)
			h := missingHandler{handler.Funcs{}, l, child}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for i := range deletes {
				name := fmt.Sprint(i)
				h.Delete(t.Context(), event.DeleteEvent{Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: test.namespace, Name: name, UID: types.UID(name)}}}, nil)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			if got := len(l.states.byName); got != test.want {
				t.Errorf("%d parents are remembered (%d KiB), want %d", got, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024, test.want)
			}
		})
	}
}
