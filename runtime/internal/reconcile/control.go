package reconcile

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

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
		Children:   l.childGVKs(),
		Namespaces: l.childCache.namespaces,
		Finalizer:  l.finalizer,
		Describe:   l.describeDesired,
		Run:        l.reconcile,
	}
	for _, kind := range l.childKinds {
		watched.Kinds = append(watched.Kinds, kind.GroupVersionKind)
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
	policies := desired.Policies.Or(of.Policies)
	return testcontrol.SyncChild{
		Parent: parent.GetUID(), Kind: of.GroupVersionKind, Name: name, Update: policies.Update,
		Orphaned: policies.WhenDeleted == declared.Orphan, Manager: l.manager, Content: content,
	}, err
}
