package reconcile

import "github.com/opgen-dev/opgen/runtime/internal/testcontrol"

// A test that runs the operator gets a record of each reconcile: what it desired of the
// children, to compare with what the API server has of them. Without such a test the functions here
// do nothing.

// recordParent records which parent is reconciled.
func (r *run) recordParent() {
	record := r.test.Record()
	if record == nil {
		return
	}
	record.UID, record.Generation, record.Finalizing = r.parent.GetUID(), r.parent.GetGeneration(), r.isFinalizing()
	if suspension := r.findSuspension(); suspension != nil {
		record.Suspended = suspension.Reason
	}
}

// recordDesired records what Sync desired.
func (r *run) recordDesired(plan plan) {
	record := r.test.Record()
	if record == nil {
		return
	}
	record.Complete = true
	for key := range plan.keep {
		record.Kept = append(record.Kept, testcontrol.Child{Kind: key.Kind, Name: key.Name})
	}
	for _, task := range plan.tasks {
		content, err := r.loop.convertDesired(r.parent, task.source)
		if err != nil { // planChild converted it without an error
			continue
		}
		metadata, ownership := content["metadata"].(map[string]any), map[string]any{}
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, task.HashKey)
		}
		task.AddOwnerMetadata(metadata)
		task.AddOwnerMetadata(ownership)
		record.Desired = append(record.Desired, testcontrol.Desired{
			Child:     testcontrol.Child{Kind: task.Kind, Name: task.Name},
			Content:   content,
			Ownership: map[string]any{"metadata": ownership},
			Update:    task.Update,
			Hash:      task.Hash,
		})
	}
}

// recordResult records which of the desired children the reconcile left as they are.
func (r *run) recordResult(done applied) {
	record := r.test.Record()
	if record == nil {
		return
	}
	record.Waiting = done.isWaiting
	for _, child := range done.children {
		for i := range record.Desired {
			if desired := &record.Desired[i]; desired.Kind == child.GroupVersionKind && desired.Name == child.name {
				desired.Waits, desired.Altered, desired.Conflict = child.waitsFor, child.altered, child.conflict != nil
			}
		}
	}
}
