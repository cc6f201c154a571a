package reconcile

import (
	"context"
	"errors"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// A test that runs the operator gets a record of each reconcile: what it desired of the
// children, to compare with what the API server has of them, and whether Sync gave the same
// answer when it was called twice. Without such a test the functions here do nothing.

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
		content, err := r.convertDesired(task.source)
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

// recordSnapshot gives the snapshot of a request to the test.
func (r *run) recordSnapshot(request Request) {
	control := r.loop.environment.Control
	if control == nil || control.Shown == nil {
		return
	}
	snapshot := testcontrol.Snapshot{Parent: r.parent.GetUID()}
	for _, kind := range r.loop.childKinds {
		if reads := r.state.reads; reads != nil && reads[kind.index].Load() {
			snapshot.Kinds = append(snapshot.Kinds, kind.GroupVersionKind)
		}
		for _, object := range request.Children[kind.index].Objects {
			snapshot.Children = append(snapshot.Children, testcontrol.Child{Kind: kind.GroupVersionKind, Name: client.ObjectKeyFromObject(object)})
		}
	}
	control.Shown(snapshot)
}

// recordCommitted records that the functions of WhenApplied of a child are called.
func (r *run) recordCommitted(child child) {
	if record := r.test.Record(); record != nil && len(child.whenApplied) > 0 {
		record.Committed = append(record.Committed, testcontrol.Child{Kind: child.GroupVersionKind, Name: child.name})
	}
}

// copyRequest copies the request of a Sync that a test inspects; nil for any other.
func (r *run) copyRequest(request Request) *Request {
	if !r.test.IsInspected() || r.isFinalizing() {
		return nil
	}
	return &Request{Parent: request.Parent.DeepCopyObject().(client.Object), Children: copyViews(request.Children), Related: copyViews(request.Related)}
}

func copyViews(views []declared.View) []declared.View {
	copies := make([]declared.View, len(views))
	for i, view := range views {
		copies[i].Namespace = view.Namespace
		for _, object := range view.Objects {
			copies[i].Objects = append(copies[i].Objects, object.DeepCopyObject().(client.Object))
		}
	}
	return copies
}

// inspectAnswer calls Sync again with the same request, and records how its answers differ and
// what it changed in the request. The first answer is the one that counts. before is the
// request as it was; nil: Sync is not inspected.
func (r *run) inspectAnswer(ctx context.Context, before *Request, request Request, first *Response, failed error, callAgain Call) {
	if before == nil || errors.As(failed, new(errTimeout)) {
		return
	}
	second, err := callAgain(ctx)
	record := r.test.Record()
	switch {
	case !reflect.DeepEqual(before.Parent, request.Parent):
		record.Impure = "it changes the parent that it was given: " + r.test.Differ(before.Parent, request.Parent)
	case !reflect.DeepEqual(before.Children, copyViews(request.Children)):
		record.Impure = "it changes the children that it was given"
	case !reflect.DeepEqual(before.Related, copyViews(request.Related)):
		record.Impure = "it changes the related objects that it was given"
	case (failed == nil) != (err == nil):
		record.Impure = "one answer is an error and the other is not"
	case (first == nil) != (second == nil):
		record.Impure = "one answer is nil and the other is not"
	case first != nil:
		record.Impure = r.test.Differ(first.Original, second.Original)
	}
}
