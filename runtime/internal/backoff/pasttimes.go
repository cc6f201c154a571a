package backoff

import "time"

// PastTimes counts answers of Sync that ask for a reconcile at a time which has passed, although
// nothing has changed since an answer that did the same: no reconcile mends that. The zero value
// has counted none.
type PastTimes struct {
	last  View // what the last such reconcile left behind
	asked bool // there was one
	count int
}

// Add counts an answer of a reconcile that saw a view and left another one behind. wrote says
// that the reconcile has written something, which is progress. Add returns how long the next
// reconcile waits.
func (p *PastTimes) Add(seen, left View, wrote bool) time.Duration {
	if !p.asked || p.last != seen || wrote {
		p.count = 0
	} else {
		p.count++
	}
	p.last, p.asked = left, true
	if p.count == 0 {
		return time.Millisecond
	}
	return HotLoops.Wait(HotLoops.Free + p.count - 1)
}

// IsHot reports whether an answer was repeated without need.
func (p *PastTimes) IsHot() bool { return p.count > 0 }
