package reconcile

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// A call of the author's code that takes long needs a worker as long, and a database that hangs makes
// all calls take long. So slow calls have half of the workers of a loop at most.
//
//	a call is slow once it has taken backoff.SlowCall   it goes on if there is room for another slow one;
//	                                                    else its context ends, and it is made again later
//	the last call of a parent was slow                  the next one is made once there is room

// errPutOff is the error of a call that was ended since too many were slow.
type errPutOff struct{ name string }

func (e errPutOff) Error() string {
	return fmt.Sprintf("%s has taken %s beside others that take as long", e.name, backoff.SlowCall)
}

// slowCalls are the reconciles of a loop that make a slow call or may make one, and the parents that
// wait to be reconciled.
type slowCalls struct {
	mu        sync.Mutex
	room      int                    // for how many more
	waiting   []types.NamespacedName // in the order in which they came
	isWaiting map[types.NamespacedName]bool
	wake      func(types.NamespacedName)
}

// newSlowCalls returns those of a loop. wake has a parent reconciled.
func newSlowCalls(workers int, wake func(types.NamespacedName)) *slowCalls {
	return &slowCalls{room: max(1, workers/2), isWaiting: map[types.NamespacedName]bool{}, wake: wake}
}

// enter takes room, and reports whether there was any.
func (s *slowCalls) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room == 0 {
		return false
	}
	s.room--
	return true
}

// wait has a parent reconciled once there is room.
func (s *slowCalls) wait(parent types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isWaiting[parent] {
		s.waiting, s.isWaiting[parent] = append(s.waiting, parent), true
	}
}

// leave ends a reconcile, which may have taken room, and wakes the parent that has waited longest if
// there is some. The reconcile of that one ends with leave, too, so that the next is woken even if this
// one takes no room.
func (s *slowCalls) leave(hasRoom bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hasRoom {
		s.room++
	}
	if s.room == 0 || len(s.waiting) == 0 {
		return
	}
	next := s.waiting[0]
	s.waiting = s.waiting[1:]
	delete(s.isWaiting, next)
	s.wake(next)
}

// takeRoom takes room for a slow call of a reconcile, and reports whether it has some.
func (c *caller) takeRoom() bool {
	c.hasRoom = c.hasRoom || c.loop.slowCalls.enter()
	return c.hasRoom
}

// waitForRoom reports whether a parent whose last call was slow is to be reconciled later.
func (c *caller) waitForRoom() bool {
	if !c.state.isSlow || c.takeRoom() {
		return false
	}
	c.loop.slowCalls.wait(c.name())
	return true
}

// continueSlow reports whether a call that is slow by now goes on.
func (c *caller) continueSlow(ctx context.Context, name string) bool {
	c.noteSpeed(true)
	if c.takeRoom() {
		return true
	}
	log.FromContext(ctx).Info("a call that takes long is ended, since as many as may take so long are running: it is made again when one of them has ended", "call", name, "after", backoff.SlowCall.String())
	return false
}

// noteSpeed notes whether a call of the parent's reconcile was slow. One of them makes the parent slow.
func (c *caller) noteSpeed(isSlow bool) {
	c.wasSlow = c.wasSlow || isSlow
	c.state.isSlow = c.wasSlow
}
