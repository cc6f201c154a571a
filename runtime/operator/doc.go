// Package operator is the runtime of an operator made with opgen: it owns the
// loop around the author's Sync function.
//
//	read the parent             from the cache
//	wait                        until the cache holds our own last writes
//	take a snapshot             of the children, by owner UID, once per pass
//	Sync (or Finalize)          parent and snapshot in, desired and status out
//	apply                       what differs, by server-side apply
//	prune                       children that are no longer desired
//	write the status            if it changed
//
// The loop is level-triggered: a pass sees state and never events, so running
// it once more is always safe. A parent is converged when a further pass
// writes nothing; such a pass makes no API call at all.
//
// Generated code describes a controller with a [Definition] and turns it into
// a [Controller]; [Main] runs the controllers of a project. Authors use
// [Request], [Response], [Snapshot] and [DesiredSet].
package operator
