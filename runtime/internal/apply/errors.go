package apply

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrStale says that the child is not what the caller believed: it came or
// went in the meantime. The caller looks again soon.
type ErrStale struct{ Key }

func (e ErrStale) Error() string {
	return e.String() + " changed meanwhile"
}

// errConflict is ErrStale where the API server says more about it. Admission may
// refuse by a conflict, too, however often the caller looks again.
type errConflict struct {
	ErrStale
	err error
}

func (e errConflict) Error() string   { return e.err.Error() }
func (e errConflict) Unwrap() []error { return []error{e.ErrStale, e.err} }

// ErrTaken says that the name of a child is taken by an object that the parent
// does not own.
type ErrTaken struct {
	Key
	Holder string        // who controls the object; empty when nobody does
	Live   client.Object // the object
}

func (e ErrTaken) Error() string {
	holder := "is not controlled by anything"
	if e.Holder != "" {
		holder = "belongs to " + e.Holder
	}
	advice := ": delete it or choose another name"
	if e.Live.GetDeletionTimestamp() != nil {
		advice = ", but is being deleted"
	}
	return fmt.Sprintf("%s exists already and %s%s", e.Key, holder, advice)
}
