package apply

import (
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// altered are the values that the API server or its admission altered: they differed from the
// desired ones in the answer to a write of the whole desired state. They are no drift, because
// another write would have the same result.
type altered struct {
	paths  []string // that are not as desired; none where values were only completed
	values digest   // at all our paths
	at     time.Time
}

// findAltered returns what the object holds instead of what is desired, if that was written to it
// just now; nil where it is as desired.
func (o *ownedFields) findAltered(now time.Time, d Desired) (*altered, error) {
	if len(o.differs) == 0 {
		return nil, nil
	}
	values, err := o.digestValues(d)
	return &altered{o.altered, values, now}, err
}

// isAsAltered reports whether the object's values are the same as when they were altered.
func (o *ownedFields) isAsAltered(d Desired, last *altered) (bool, error) {
	if last == nil {
		return false, nil
	}
	values, err := o.digestValues(d)
	return values == last.values, err
}

// syncState returns the state of a child with these altered values: in sync, until it is time to
// write them again.
func (a *altered) syncState(now time.Time) syncState {
	if a != nil && len(a.paths) > 0 && now.Sub(a.at) >= backoff.Altered {
		return unknown
	}
	return inSync
}
