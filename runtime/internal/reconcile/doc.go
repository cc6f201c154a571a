// Package reconcile brings a parent and its children to what the author's Sync desires.
//
// One reconcile of one parent takes these steps. Each takes values and returns values, and
// [loop.reconcile] calls them in this order:
//
//	step                  file                 what it does
//	start                 observe.go           read the parent from the cache, once that holds the operator's own writes
//	observe               observe.go           list the parent's children in the cache, by owner UID
//	skip                  suspend.go, state.go a suspended parent, one whose Sync still runs, one whose retry is not due
//	relate                related.go           find the objects that Sync reads
//	clean up              leaked.go            remove children that an earlier parent of this name has left
//	call                  call.go              call Sync, or Finalize: parent and snapshot in, Response out
//	plan                  plan.go, order.go    complete the desired children and order them: plan
//	hold the finalizer    finalize.go          before a child is written that needs it
//	apply                 apply.go             apply what differs, by server-side apply: applied
//	roll out              rolling_update.go    choose which child of a rolling strategy may change
//	prune                 prune.go             remove undesired children
//	write metadata        metadata.go          write the parent's labels and annotations
//	write the status      conditions.go        derive conditions; package status writes them if they changed
//	schedule              reconcile.go         decide when the next reconcile is due
//
// A parent that is deleted, or not selected any more, is finalized instead (finalize.go).
//
// The loop is level-triggered: a reconcile sees state and never events, so that running it
// once more is always safe. A parent is converged when a further reconcile writes nothing;
// such a reconcile makes no API request at all.
//
// A [loop] is the same for all reconciles of one kind of parents (setup.go, loop.go). A run is
// one reconcile (run.go). The state of a parent is what its reconciles remember (state.go). How
// often anything is repeated is up to package backoff; one child is the business of package
// apply.
package reconcile
