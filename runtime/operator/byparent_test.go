package operator

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

// watchedMap is a ConfigMap that counts how often anybody looks at what tells
// whose child it is.
type watchedMap struct {
	*corev1.ConfigMap
	looks *atomic.Int64
}

func (m watchedMap) GetLabels() map[string]string {
	m.looks.Add(1)
	return m.ConfigMap.GetLabels()
}

func (m watchedMap) GetOwnerReferences() []metav1.OwnerReference {
	m.looks.Add(1)
	return m.ConfigMap.GetOwnerReferences()
}

func (m watchedMap) GetAnnotations() map[string]string {
	m.looks.Add(1)
	return m.ConfigMap.GetAnnotations()
}

// filled is a cache with the children of one parent, the UID of which is "web", and
// as many of others. It returns how they are found, and the count of looks.
func filled(t testing.TB, others int) (of func(string) ([]client.Object, error), looks *atomic.Int64) {
	t.Helper()
	site := schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "Site"}
	o := &offspring{keys: ownership.KeysOf(site.Group, "site"), parents: map[schema.GroupKind]bool{site.GroupKind(): true}}
	looks = new(atomic.Int64)
	informer := toolscache.NewSharedIndexInformer(&toolscache.ListWatch{}, watchedMap{}, 0, toolscache.Indexers{
		byParent: func(object any) ([]string, error) { return o.index(object.(client.Object)), nil },
	})
	add := func(name, parent string) {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name),
			Labels: map[string]string{o.keys.Label: parent},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(&metav1.ObjectMeta{Name: parent, UID: types.UID(parent)}, site),
			},
		}}
		if err := informer.GetIndexer().Add(watchedMap{object, looks}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		add(fmt.Sprintf("web-%d", i), "web")
	}
	for i := range others {
		add(fmt.Sprintf("other-%d", i), fmt.Sprintf("parent-%d", i/3))
	}
	return ofIndex(informer), looks
}

// cost is what finding the children of one parent takes beside time.
type cost struct {
	looks  int64 // at any object
	allocs float64
	bytes  uint64
}

func costOf(t *testing.T, others int) cost {
	t.Helper()
	of, looks := filled(t, others)
	find := func() {
		if found, err := of("web"); err != nil || len(found) != 3 {
			t.Fatalf("found %d children, want 3: %v", len(found), err)
		}
	}
	looks.Store(0)
	find()
	total := cost{looks: looks.Load(), allocs: testing.AllocsPerRun(100, find)}
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
	if many.looks != 0 {
		t.Errorf("it looks at objects %d times", many.looks)
	}
}

func BenchmarkFindingChildren(b *testing.B) {
	for _, others := range []int{10, 100_000} {
		of, _ := filled(b, others)
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := of("web"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
