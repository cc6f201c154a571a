package reconcile

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestSlowCallsHaveHalfOfTheWorkers(t *testing.T) {
	for workers, expect := range map[int]int{1: 1, 2: 1, 3: 1, 10: 5} {
		calls, n := newSlowCalls(workers, nil), 0
		for calls.enter() {
			n++
		}
		if n != expect {
			t.Errorf("%d of %d workers, expected %d", n, workers, expect)
		}
	}
}

// A parent that is woken and needs no room, since it is gone for example, wakes the next.
func TestParentsThatWaitForRoomAreWokenInTheirOrder(t *testing.T) {
	woken := ""
	calls := newSlowCalls(2, func(parent types.NamespacedName) { woken += parent.Name })
	calls.enter()
	for _, name := range []string{"a", "b", "a", "c"} {
		calls.wait(types.NamespacedName{Name: name})
	}
	if calls.leave(false); woken != "" {
		t.Fatalf("woke %s without room", woken)
	}
	calls.leave(true)  // wakes a
	calls.leave(false) // a is gone, which wakes b
	if !calls.enter() || woken != "ab" {
		t.Fatalf("woke %s, expected a and b", woken)
	}
	calls.leave(false) // b has the room
	calls.leave(true)
	calls.leave(false)
	if woken != "abc" || len(calls.isWaiting) > 0 {
		t.Errorf("woke %s, expected a, b and c", woken)
	}
}
