package brake

import (
	"maps"
	"time"
)

// Limit says how many parents may lose children, without a change of their spec, before the
// brake holds such prunes.
type Limit struct {
	Least   int // of a small fleet too; negative: there is no limit
	Percent int // of the controller's parents
	Window  time.Duration
}

// of returns the limit for a number of parents.
func (l Limit) of(parents int) int { return max(l.Least, parents*l.Percent/100) }

// Record is what a brake keeps across restarts.
type Record struct {
	// Counted is the number of parents that were counted in a minute, by the minute since
	// 1970. A process counts a parent once in a window.
	Counted map[int64]int `json:"counted,omitempty"`
	// HeldAs identifies the incident whose prunes are held. Empty: nothing is held.
	HeldAs string `json:"heldAs,omitempty"`
	// ReleasedAt is when a person released the last incident.
	ReleasedAt time.Time `json:"releasedAt,omitzero"`
}

// count returns the record after one more parent is to lose children, and whether it may.
// allowed returns the limit. The record stays as it is while prunes are
// held, and for a window after their release.
func (r Record) count(now time.Time, window time.Duration, allowed func() (int, error)) (Record, bool, error) {
	if r.HeldAs != "" || r.isReleased(now, window) {
		return r, r.HeldAs == "", nil
	}
	most, err := allowed()
	if err != nil {
		return r, false, err
	}
	counted, sum := map[int64]int{}, 0
	for minute, parents := range r.Counted {
		if now.Sub(time.Unix(60*(minute+1), 0)) < window {
			counted[minute], sum = parents, sum+parents
		}
	}
	if sum >= most {
		return Record{HeldAs: now.UTC().Format("20060102T150405Z")}, false, nil
	}
	counted[now.Unix()/60]++
	return Record{Counted: counted}, true, nil
}

// release returns the record after a person has released the prunes.
func (r Record) release(now time.Time) Record {
	return Record{ReleasedAt: now.UTC().Truncate(time.Second)}
}

// isReleased reports whether prunes are free, since a person has released some lately.
func (r Record) isReleased(now time.Time, window time.Duration) bool {
	return !r.ReleasedAt.IsZero() && now.Sub(r.ReleasedAt) < window
}

func (r Record) equal(other Record) bool {
	return r.HeldAs == other.HeldAs && r.ReleasedAt.Equal(other.ReleasedAt) && maps.Equal(r.Counted, other.Counted)
}
