package operator

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Request is what Sync and Finalize get. P is the parent's type, C the
// generated struct with one [Snapshot] per kind of children, R the one with a
// Snapshot per entry of related objects.
//
// A Sync function that reads nothing but its request is pure: the same request
// gives the same response, and a test needs no cluster.
type Request[P client.Object, C, R any] struct {
	// Parent is a private copy. Changing it changes nothing in the cluster, and fails a
	// test with operatortest, since it is mostly an error.
	Parent P
	// Children is what was observed of the parent's children, taken once per
	// reconcile and never older than the operator's own last write.
	Children C
	// Related are the objects that the spec file names under related: Sync reads
	// them, and runs again when they change.
	Related R
	// Now is the clock of this reconcile. Use it in place of time.Now.
	Now time.Time
	// Observing says that the operator runs with --observe and writes nothing. A Sync or
	// Finalize that changes something outside of the cluster leaves that out then.
	Observing bool
}
