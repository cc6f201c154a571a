package reconcile

import (
	"context"
	"encoding/json"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// newReconciler returns the reconciler of a loop, and the options of its controller. A test
// that runs the operator stands between the work queue and the reconciles.
func (l *loop) newReconciler(build *builder.Builder, options controller.Options) (ctrl.Reconciler, controller.Options) {
	control := l.environment.Control
	if control == nil {
		return ctrl.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			return l.reconcile(ctx, request, nil)
		}), options
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
		Run:        l.reconcile,
	}
	control.Add(watched)
	build.WatchesRawSource(source.Func(watched.Start))
	options.NewQueue = watched.NewQueue
	return watched, options
}

// errNotDesired is the error of a child that Sync desires and the test does not.
type errNotDesired struct{}

func (errNotDesired) Error() string { return "the test does not desire it" }

// replaceForTest lets the test that runs the operator, if one does, desire something else
// than Sync of a child. The returned Input covers that, too.
func (r *run) replaceForTest(d apply.Desired, content func() (map[string]any, error)) (apply.Desired, func() (map[string]any, error), error) {
	control := r.loop.environment.Control
	if !control.ReplacesDesired() {
		return d, content, nil
	}
	ofSync, err := content()
	if err != nil {
		return d, content, err
	}
	other := control.Author(testcontrol.SyncChild{
		Parent: r.parent.GetUID(), Kind: d.Kind, Name: d.Name, Update: d.Update, Orphaned: d.WhenDeleted == declared.Orphan, Manager: r.loop.manager, Content: ofSync,
	})
	switch {
	case other == nil:
		return d, content, nil
	case len(other) == 0:
		return d, content, errNotDesired{}
	}
	data, err := json.Marshal(other)
	if err != nil {
		return d, content, err
	}
	hash := xxhash.NewWithSeed(d.Input)
	_, _ = hash.Write(data) // it never fails
	d.Input, d.Source = hash.Sum64(), nil
	return d, func() (map[string]any, error) { return runtime.DeepCopyJSON(other), nil }, nil
}
