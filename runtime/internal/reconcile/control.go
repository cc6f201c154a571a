package reconcile

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// newReconciler returns the reconciler of a loop, and the options of its controller. A test
// that runs the operator stands between the work queue and the reconciles.
func (l *loop) newReconciler(build *builder.Builder, options controller.Options) (ctrl.Reconciler, controller.Options) {
	control := l.environment.Control
	if control == nil {
		return ctrl.Func(l.reconcile), options
	}
	watched := &testcontrol.Loop{
		Controller: l.definition.Name,
		Manager:    l.manager,
		Label:      l.childCache.keys.Label,
		HashKey:    l.childCache.keys.Hash,
		ParentOf:   l.childCache.parentUID,
		Parent:     l.parentKind.GroupVersionKind,
		Empty:      l.parentKind.empty,
		Cache:      l.cache,
		Namespaces: l.childCache.namespaces,
		Finalizer:  l.finalizer,
		Describe:   l.describeDesired,
		ReadKey:    l.readKey,
		Run:        l.reconcile,
	}
	for _, kind := range l.childKinds {
		watched.Kinds = append(watched.Kinds, kind.GroupVersionKind)
		if kind.isServed() && kind.isFirst() {
			watched.Children = append(watched.Children, kind.GroupVersionKind)
		}
	}
	control.Add(watched)
	l.definition.Author, l.events = watched.Decorate(l.definition.Author), watched.Recorder(l.events)
	build.WatchesRawSource(source.Func(watched.Start))
	options.NewQueue = watched.NewQueue
	return watched, options
}

// describeDesired returns a desired child of a kind as a test sees it.
func (l *loop) describeDesired(parent client.Object, kind int, desired declared.DesiredChild) (testcontrol.SyncChild, error) {
	of := l.childKinds[kind]
	if !of.isServed() {
		return testcontrol.SyncChild{}, errors.New(unservedText)
	}
	name, _, err := l.identifyDesired(parent.GetNamespace(), of, desired)
	if err != nil {
		return testcontrol.SyncChild{}, err
	}
	content, err := l.convertDesired(parent, desired)
	if err != nil {
		return testcontrol.SyncChild{}, err
	}
	handOver, err := of.parseHandOver(desired)
	policies := desired.Policies.Or(of.Policies)
	return testcontrol.SyncChild{
		Parent: parent.GetUID(), Kind: of.GroupVersionKind, Name: name, Update: policies.Update,
		Orphaned: policies.WhenDeleted == declared.Orphan, HandOver: handOver, Manager: l.manager, Content: content,
	}, err
}

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
	record.Complete, record.KeepsAll = true, plan.keepAll
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
			HandOver:  task.HandOver,
			Hash:      task.Hash,
		})
	}
}

// keptFields returns the paths of the fields that a child keeps since it was adopted as it is.
func (r *run) keptFields(t task, child client.Object) []fieldpath.Path {
	if r.test.Record() == nil {
		return nil
	}
	return t.kind.applier.KeptFields(&r.state.applied, t.Desired, child)
}

// recordResult records which of the desired children the reconcile left as they are.
func (r *run) recordResult(done applied) {
	record := r.test.Record()
	if record == nil {
		return
	}
	record.Waiting = done.isWaiting || done.prunes.heldText != ""
	for _, child := range done.children {
		if child.isHistory {
			record.Kept = append(record.Kept, testcontrol.Child{Kind: child.GroupVersionKind, Name: child.name})
		}
		for i := range record.Desired {
			if desired := &record.Desired[i]; desired.Kind == child.GroupVersionKind && desired.Name == child.name {
				desired.Waits, desired.Altered, desired.Conflict = child.waitsFor, child.altered, child.conflict != nil
				desired.Kept = child.keptFields
			}
		}
	}
}
