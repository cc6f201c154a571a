package reconcile

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// countingMap is a ConfigMap that counts how often anybody reads at what tells
// whose child it is.
type countingMap struct {
	*corev1.ConfigMap
	reads *atomic.Int64
}

func (m countingMap) GetLabels() map[string]string {
	m.reads.Add(1)
	return m.ConfigMap.GetLabels()
}

func (m countingMap) GetOwnerReferences() []metav1.OwnerReference {
	m.reads.Add(1)
	return m.ConfigMap.GetOwnerReferences()
}

func (m countingMap) GetAnnotations() map[string]string {
	m.reads.Add(1)
	return m.ConfigMap.GetAnnotations()
}

// children is the key of the children of the parent "web".
var children = childrenOf(ownership.Parent{UID: "web", Name: types.NamespacedName{Namespace: "default", Name: "web"}})

// fillCache returns a cache with the children of one parent, the UID of which is "web", and
// of others. It returns the function that lists them, and the count of reads.
func fillCache(t testing.TB, others int) (of func(string) ([]client.Object, error), reads *atomic.Int64) {
	t.Helper()
	site := schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Site"}
	c := &childCache{keys: ownership.KeysOf(site.Group, "site"), parents: map[schema.GroupKind]bool{site.GroupKind(): true}}
	reads = new(atomic.Int64)
	informer := toolscache.NewSharedIndexInformer(&toolscache.ListWatch{}, countingMap{}, 0, toolscache.Indexers{
		parentIndex: func(object any) ([]string, error) {
			return c.indexKeys(schema.GroupKind{Kind: "ConfigMap"}, object.(client.Object)), nil
		},
	})
	add := func(name, parent string) {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name),
			Labels: map[string]string{c.keys.Label: parent},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(&metav1.ObjectMeta{Name: parent, UID: types.UID(parent)}, site),
			},
		}}
		if err := informer.GetIndexer().Add(countingMap{object, reads}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		add(fmt.Sprintf("web-%d", i), "web")
	}
	for i := range others {
		add(fmt.Sprintf("other-%d", i), fmt.Sprintf("parent-%d", i/3))
	}
	return listFromInformer(informer), reads
}

// cost is what it takes to find the children of one parent, beside time.
type cost struct {
	reads  int64 // of any object
	allocs float64
	bytes  uint64
}

func costOf(t *testing.T, others int) cost {
	t.Helper()
	of, reads := fillCache(t, others)
	find := func() {
		if found, err := of(children); err != nil || len(found) != 3 {
			t.Fatalf("found %d children, want 3: %v", len(found), err)
		}
	}
	reads.Store(0)
	find()
	total := cost{reads: reads.Load(), allocs: testing.AllocsPerRun(100, find)}
	var tries []uint64 // of which some are disturbed by what else runs
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		find()
		runtime.ReadMemStats(&after)
		tries = append(tries, after.TotalAlloc-before.TotalAlloc)
	}
	total.bytes = slices.Min(tries)
	return total
}

func TestFindingChildrenCostsTheSameHoweverManyOthersThereAre(t *testing.T) {
	few, many := costOf(t, 10), costOf(t, 100_000)
	if few != many {
		t.Errorf("with 10 other objects it costs %+v, with 100,000 %+v", few, many)
	}
	if many.reads != 0 {
		t.Errorf("it reads at objects %d times", many.reads)
	}
}

func BenchmarkFindingChildren(b *testing.B) {
	for _, others := range []int{10, 100_000} {
		of, _ := fillCache(b, others)
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := of(children); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
