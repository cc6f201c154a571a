// Package reconcile brings a parent and its children to what the author's Sync desires.
//
// One reconcile of one parent takes these steps, in this order. Each takes values and returns
// values; [loop.reconcile] and the functions below it in reconcile.go call them:
//
//	step              file           what it does
//	startRun          observe.go     read the parent from the cache, once that holds the operator's own writes → run
//	observeChildren   observe.go     list the parent's children in the cache, by owner UID → observed
//	noteOrphaning     cascade.go     record that a parent is deleted with --cascade=orphan
//	findSuspension    suspend.go     stop here for a parent that a user has paused or disconnected
//	observeRelated    related.go     find the objects that Sync reads and does not own (related_read.go), in watches as small as their entries (related_watch.go)
//	observePatched    patched.go     find the objects of others that carry fields of the parent's
//	state.delay       state.go       stop here if a retry, or a hot loop, is not due
//	cleanUpForParent  leaked.go      remove the leaked children of earlier parents of this name
//	takeBack          reconnect.go   give a parent that is connected again its children back
//	restoreBeforeCall restore.go     give children that somebody took the marks off these back, before Sync can take them for absent
//	callAuthor        call.go        call Sync, or Finalize, with the parent and a snapshot → Response
//	lookUpNames       name_conflicts.go  look up the names that Sync asks for, and call it again if it was told otherwise
//	recordOutdated    outdated.go    record which children are outdated by the answer, and call Sync again if it was told otherwise
//	planPatches       patches.go     complete the desired fields of related objects → patchPlan
//	planChildren      plan.go        complete the desired children, and order them (order.go) → plan
//	updateFinalizer   finalize.go    add the finalizer before a child is created that needs it
//	applyTasks        batch.go       apply what differs, one child of a rolling update at a time (rolling_update.go) → applied
//	limitPrunes       brake.go       hold prunes that no change of the parent explains, if many parents have them
//	removeChildren    prune.go       recreate (evict.go) and prune children, and remove those that others replace (replace.go)
//	endAdoptions      recreation.go  end the recreations of children whose dependents stay, once those have a new owner
//	applyPatches      patches.go     set fields of related objects, and remove those that are not desired any more (patch_removal.go)
//	recordApplied     call.go        call the functions of WhenApplied → Response
//	writeMetadata     metadata.go    write the parent's labels and annotations
//	reportOutcome     report.go      derive the conditions (conditions.go), write the status and the Events → outcome
//	scheduleNext      schedule.go    decide when the next reconcile is due
//
// A parent that is deleted, or not selected any more, is finalized instead: finalizeParent in
// finalize.go. What the user asked for in the deletion is in cascade.go, and what a finalized parent
// carries for an operator that starts in the middle in record.go.
//
// The loop is level-triggered: a reconcile sees state and never events, so that running it
// once more is always safe. A parent is converged when a further reconcile writes nothing;
// such a reconcile makes no API request at all.
//
// A step that fails returns an error. If that is stale, the reconcile stops half-way and is repeated
// soon (stale.go).
//
// A [loop] is the same for all reconciles of one kind of parents (setup.go, resources.go, loop.go). A [run] is
// one reconcile (run.go). Its steps share a few parts, each with what it keeps between steps:
//
//	subject       run.go        the parent, and what is remembered of it; each part knows it
//	caller        call.go       calls the author's code, and knows whether that is slow and what it looks at
//	planner       plan.go       makes a plan of what Sync answers
//	writer        writer.go     writes the parent, removes children, and knows all that is written
//	restorer      restore.go    gives children their marks back
//	batch         batch.go      applies the tasks of a plan
//	writeRequest  requested.go  the request of a user that every child is written
//
// The state of a parent is what its reconciles remember (state.go). How
// often anything is repeated is up to package backoff; one child is the business of package
// apply.
package reconcile
