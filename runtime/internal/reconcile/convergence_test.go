package reconcile

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func TestConvergenceIsTimedFromWhenAGenerationIsSeen(t *testing.T) {
	now := time.Unix(0, 0)
	c := newConvergence(func() time.Time { return now })
	isParent := func(o client.Object) bool { return o.GetLabels()["theirs"] == "" }
	watch := c.predicate(isParent, func(o client.Object) bool { return o.GetName() == "old" })
	object := func(name string, generation int64) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: generation}}
	}
	expect := func(parent client.Object, want time.Duration, counts bool) {
		t.Helper()
		if got, first := c.complete(parent); got != want || first != counts {
			t.Errorf("%s generation %d: %s, %v; want %s, %v", parent.GetName(), parent.GetGeneration(), got, first, want, counts)
		}
	}
	watch.Create(event.CreateEvent{Object: object("new", 1)})
	watch.Create(event.CreateEvent{Object: object("old", 7)})
	now = now.Add(time.Second)
	watch.Update(event.UpdateEvent{ObjectOld: object("new", 1), ObjectNew: object("new", 1)}) // a label
	expect(object("old", 7), 0, false)
	expect(object("new", 1), time.Second, true)
	expect(object("new", 1), 0, false) // once

	watch.Update(event.UpdateEvent{ObjectOld: object("old", 7), ObjectNew: object("old", 8)})
	now = now.Add(2 * time.Second)
	watch.Update(event.UpdateEvent{ObjectOld: object("old", 8), ObjectNew: object("old", 9)})
	expect(object("old", 8), 0, false) // a reconcile of what is no longer desired
	now = now.Add(3 * time.Second)
	expect(object("old", 9), 3*time.Second, true)

	watch.Update(event.UpdateEvent{ObjectOld: object("old", 9), ObjectNew: object("old", 10)})
	watch.Delete(event.DeleteEvent{Object: object("old", 10)})

	theirs := object("theirs", 1)
	theirs.Labels = map[string]string{"theirs": "true"}
	watch.Create(event.CreateEvent{Object: theirs})
	watch.Create(event.CreateEvent{Object: object("leaves", 1)})
	left := object("leaves", 2)
	left.Labels = theirs.Labels
	watch.Update(event.UpdateEvent{ObjectOld: object("leaves", 1), ObjectNew: left})
	if len(c.byUID) > 0 {
		t.Errorf("what is gone or no parent is remembered: %v", c.byUID)
	}
}
