// Package operator is the runtime of an operator made with opgen: it owns the
// loop around the author's Sync function.
//
//	read the parent             from the cache
//	wait                        until the cache holds the operator's own last writes
//	take a snapshot             of the children, by owner UID, once per reconcile
//	Sync (or Finalize)          parent and snapshot in, desired and status out
//	apply                       what differs, by server-side apply
//	prune                       children that are no longer desired
//	write the status            if it changed
//
// The loop is level-triggered: a reconcile sees state and never events, so running
// it once more is always safe. A parent is converged when a further reconcile
// writes nothing; such a reconcile makes no API call at all.
//
// Generated code describes a controller with a [Definition] and turns it into
// a [Controller]; [Main] runs the controllers of a project. Authors use
// [Request], [Response], [Snapshot] and [DesiredSet].
//
// # How to read the runtime
//
// This package holds the names of authors and generated code. Its adapter.go turns a
// Definition into one without type parameters. The work is done in packages of
// runtime/internal, each with a doc comment that lists its files:
//
//	process       runs the controllers of a process: manager, Lease, metrics, traces, shutdown
//	reconcile     one reconcile of one parent; its doc comment is the table of steps
//	apply         brings one child to its desired state
//	status        writes what changes in the status of a parent
//	backoff       decides when a write, a retry or a requeue is due; settings.go has every wait
//	consistency   keeps a reconcile from deciding on a cache that lacks the operator's own writes
//	ownership     marks children as a parent's, and reads the marks
//	related       finds the objects that Sync reads and does not own
//	poll          asks outside of the cluster, and has parents reconciled when an answer changes
//	health        rules for when an object is ready
//	testcontrol   lets a test control an operator; package operatortest uses it
//
// Begin with reconcile/doc.go and reconcile/reconcile.go, then follow the step that you look
// for.
package operator
