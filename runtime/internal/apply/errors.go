package apply

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrStale says that a child has changed since the caller observed it. The caller retries soon.
type ErrStale struct{ Key }

func (e ErrStale) Error() string {
	return e.String() + " changed meanwhile"
}

// errConflict is ErrStale with the answer of the API server. Admission can refuse a write with a
// conflict, too, and does so at every retry.
type errConflict struct {
	ErrStale
	err error
}

func (e errConflict) Error() string   { return e.err.Error() }
func (e errConflict) Unwrap() []error { return []error{e.ErrStale, e.err} }

// ErrNameConflict says that an object which is not the parent's has the name of a child.
type ErrNameConflict struct {
	Key
	Holder string        // who controls the object; empty when nobody does, or the parent alone
	Object client.Object // as a live read shows it
	// CopiedBy is who wrote the marks of an object that is the copy of a child.
	CopiedBy string
	// Names is the annotation in which the copy names another child. Empty: it does not.
	Names string
}

// ErrUnobserved says that a child exists which was to be created: the caller took it for absent, since
// it has lost its marks, or because its cache does not show it yet.
type ErrUnobserved struct {
	Key
	Object client.Object // as a live read shows it
}

func (e ErrUnobserved) Error() string {
	return e.String() + " exists already, and was taken for absent"
}

func (e ErrNameConflict) Error() string {
	if e.CopiedBy != "" && e.Object.GetDeletionTimestamp() == nil {
		adopt := ""
		if e.Holder == "" {
			adopt = ", adopt it with adopt: IfUnowned"
		}
		names := ""
		if e.Names != "" {
			names = "remove its annotation " + e.Names + " and "
		}
		return fmt.Sprintf("%s exists already and is a copy of a child, whose labels and references %s wrote: choose another name for it%s, or %sclear its metadata.managedFields to make it the child", e.Key, e.CopiedBy, adopt, names)
	}
	holder, advice := "is not controlled by anything", ": choose another name, or adopt it with adopt: IfUnowned"
	if e.Holder != "" {
		holder, advice = "belongs to "+e.Holder, ": choose another name"
	}
	if e.Object.GetDeletionTimestamp() != nil {
		advice = ", but is being deleted"
	}
	return fmt.Sprintf("%s exists already and %s%s", e.Key, holder, advice)
}
