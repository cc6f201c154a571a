package reconcile

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/brake"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// A parent that goes, or makes way for another one of its name, leaves nothing behind: no count of a metric, and no lists of
// objects that it might have taken over.
func TestParentThatIsGoneLeavesNothingInTheLoop(t *testing.T) {
	pods := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	web := types.NamespacedName{Name: "web"}
	again := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: web.Name, UID: "2"}}
	recreate := func(t *testing.T, l *loop) {
		l.newRun(again)
		if _, isTaken, err := l.isTakenOver(t.Context(), again); isTaken || err != nil {
			t.Errorf("the new parent is taken over: %v, %v", isTaken, err)
		}
	}
	for name, test := range map[string]struct {
		wasReconciled bool
		happens       func(*testing.T, *loop)
	}{
		"gone":                               {true, func(_ *testing.T, l *loop) { l.forget(web) }},
		"gone before its first reconcile":    {false, func(_ *testing.T, l *loop) { l.forget(web) }},
		"recreated":                          {true, recreate},
		"recreated before it was reconciled": {false, recreate},
	} {
		t.Run(name, func(t *testing.T) {
			shown := 0
			l := &loop{environment: &process.Environment{}, takeover: newTakeover(), brake: new(brake.Brake)}
			l.lagging = &lagging{parents: map[schema.GroupVersionKind]int{}, show: func(_ string, parents int) { shown = parents }}
			l.states = newStates()
			l.takeover.hasBegun, l.takeover.parents[web] = true, takenParent{uid: "1"}
			l.takeover.lists[new(kindEntries)] = ownedObjects{}
			if test.wasReconciled {
				l.lagging.begin(&l.states.getOrAdd(web, "1").lag, pods)
			}
			test.happens(t, l)
			if shown != 0 {
				t.Errorf("the metric says that %d parents wait for a cache", shown)
			}
			if len(l.takeover.parents) > 0 || len(l.takeover.lists) > 0 {
				t.Errorf("%d parents are still to be taken over, with %d lists", len(l.takeover.parents), len(l.takeover.lists))
			}
		})
	}
}
