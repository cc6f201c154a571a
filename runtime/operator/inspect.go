package operator

import (
	"errors"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// A test that runs the operator gets a record of each reconcile: what it desired of
// the children, to compare with what the API server has of them, and whether Sync
// gave the same answer when it was called twice. Without such a test nothing here
// does anything.

// recordParent notes which parent is reconciled.
func (p *pass) recordParent() {
	record := p.notes.Record()
	if record == nil {
		return
	}
	record.UID, record.Generation, record.Finalizing = p.parent.GetUID(), p.parent.GetGeneration(), p.finalizing()
	if why := p.suspension(); why != nil {
		record.Suspended = why.Reason
	}
}

// recordDesired notes what Sync desired.
func (p *pass) recordDesired(plan plan) {
	record := p.notes.Record()
	if record == nil {
		return
	}
	record.Complete = true
	for key := range plan.keep {
		record.Kept = append(record.Kept, passes.Child{Kind: key.Kind, Name: key.Name})
	}
	for _, task := range plan.tasks {
		content, err := p.content(task.wanted)
		if err != nil { // which it was possible to make before
			continue
		}
		metadata, ownership := content["metadata"].(map[string]any), map[string]any{}
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, task.HashKey)
		}
		task.Own(metadata)
		task.Own(ownership)
		record.Desired = append(record.Desired, passes.Desired{
			Child:     passes.Child{Kind: task.Kind, Name: task.Name},
			Content:   content,
			Ownership: map[string]any{"metadata": ownership},
			Update:    string(task.update),
			Hash:      task.Hash,
		})
	}
}

// recordApplied notes which of the desired children the reconcile left as they are.
func (p *pass) recordApplied(done report) {
	record := p.notes.Record()
	if record == nil {
		return
	}
	record.Waiting = done.waiting
	for _, child := range done.children {
		for i := range record.Desired {
			if desired := &record.Desired[i]; desired.Kind == child.GroupVersionKind && desired.Name == child.name {
				desired.Waits, desired.Altered, desired.Conflict = child.waits, child.altered, child.conflict != nil
			}
		}
	}
}

// inputs is what a Sync is given that it must not change.
type inputs struct {
	parent   client.Object
	children [][]client.Object
	related  [][]client.Object
}

// copyInputs copies what Sync is to be given, where a test compares it afterwards.
func (p *pass) copyInputs(parent client.Object) *inputs {
	if !p.notes.Inspected() || p.finalizing() {
		return nil
	}
	return &inputs{parent.DeepCopyObject().(client.Object), copyObjects(p.observed), copyObjects(p.related)}
}

func copyObjects(of [][]client.Object) [][]client.Object {
	copies := make([][]client.Object, len(of))
	for i, objects := range of {
		for _, object := range objects {
			copies[i] = append(copies[i], object.DeepCopyObject().(client.Object))
		}
	}
	return copies
}

// inspectAnswer calls Sync again with the same request, and notes in what its answers
// differ and what it changed in the request. The first answer is the one that counts.
func inspectAnswer[D, S any](p *pass, before *inputs, parent client.Object, first *Response[D, S], failed error, again func() (*Response[D, S], error)) {
	if before == nil || errors.As(failed, new(errTimeout)) {
		return
	}
	second, err := again()
	record := p.notes.Record()
	switch {
	case !reflect.DeepEqual(before.parent, parent):
		record.Impure = "it changes the parent that it was given: " + p.notes.Differ(before.parent, parent)
	case !reflect.DeepEqual(before.children, copyObjects(p.observed)):
		record.Impure = "it changes the children that it was given"
	case !reflect.DeepEqual(before.related, copyObjects(p.related)):
		record.Impure = "it changes the related objects that it was given"
	case (failed == nil) != (err == nil):
		record.Impure = "one answer is an error and the other is not"
	default:
		record.Impure = p.notes.Differ(first, second)
	}
}
