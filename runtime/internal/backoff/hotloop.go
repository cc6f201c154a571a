package backoff

import "time"

// HotLoop counts answers of Sync that differ each time, although nothing has changed but
// what Sync wrote itself: with a time in it, or a random name. Every write causes a
// reconcile, so that these would never end. The zero value has counted none.
type HotLoop struct {
	last  Answer
	count int // since a reconcile that wrote nothing
}

// Answer sums up what Sync desired in a reconcile that wrote something.
type Answer struct {
	Left          View      // what the reconcile left behind
	Children      uint64    // a hash of the desired children
	Parent        uint64    // a hash of what is desired of the parent
	WroteChildren bool      // the reconcile has written children
	Requeue       time.Time // when Sync asked for a reconcile; zero: it did not
	Time          time.Time
}

// Delay reports whether a reconcile that nothing but the last one has caused is delayed,
// and returns the time left. A nil HotLoop delays none.
func (l *HotLoop) Delay(seen View, now time.Time) (time.Duration, bool) {
	if l == nil || l.last.Left != seen {
		return 0, false
	}
	next := l.last.Time.Add(HotLoops.Wait(l.count))
	if requeue := l.last.Requeue; !requeue.IsZero() && requeue.Before(next) {
		next = requeue
	}
	left := next.Sub(now)
	return left, left > 0
}

// Add counts the answer of a reconcile that saw a view. What Sync desires of the parent may
// describe children that the runtime has written since, one by one as in a rolling update.
// An answer that Sync had asked for at this time does not count.
func (l *HotLoop) Add(seen View, answer Answer) {
	last := l.last
	requested := !last.Requeue.IsZero() && !answer.Time.Before(last.Requeue)
	differs := last.Children != answer.Children || last.Parent != answer.Parent && !last.WroteChildren
	if last.Left == seen && differs && !requested {
		l.count++
	}
	l.last = answer
}

// IsHot reports whether so many answers have differed that the next ones are delayed.
func (l *HotLoop) IsHot() bool { return l.count >= HotLoops.Free }
