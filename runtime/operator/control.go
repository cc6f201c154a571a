package operator

import (
	"context"
	"encoding/json"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// control lets the test that runs this operator, if one does, stand between the
// work queue and the passes.
func (l *loop) control(build *builder.Builder, control *passes.Control, run passes.Run, options controller.Options) (reconcile.Reconciler, controller.Options) {
	if control == nil {
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			return run(ctx, request, nil)
		}), options
	}
	watched := &passes.Loop{
		Controller: l.name,
		Manager:    l.manager,
		Label:      l.offspring.keys.Label,
		HashKey:    l.offspring.keys.Hash,
		ParentOf:   l.offspring.parentUID,
		Parent:     l.parent.GroupVersionKind,
		Empty:      l.parent.empty,
		Cache:      l.cache,
		Children:   l.childKinds(),
		Finalizer:  l.finalizer,
		Run:        run,
	}
	control.Add(watched)
	build.WatchesRawSource(source.Func(watched.Start))
	options.NewQueue = watched.NewQueue
	return watched, options
}

func (l *loop) childKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, child := range l.children {
		kinds = append(kinds, child.GroupVersionKind)
	}
	return kinds
}

// errUndesired says that the test does not desire a child that Sync does.
type errUndesired struct{}

func (errUndesired) Error() string { return "the test does not desire it" }

// replaced lets the test that runs this operator, if one does, desire something else
// than Sync of a child. The input sums that up, too.
func (p *pass) replaced(d apply.Desired, whenDeleted DeletionPolicy, content func() (map[string]any, error)) (apply.Desired, func() (map[string]any, error), error) {
	if !p.test.Replaces() {
		return d, content, nil
	}
	said, err := content()
	if err != nil {
		return d, content, err
	}
	other := p.test.Author(passes.SyncChild{
		Parent: p.parent.GetUID(), Kind: d.Kind, Name: d.Name, Strategy: string(d.Strategy), Orphaned: whenDeleted == Orphan, Manager: p.manager, Content: said,
	})
	switch {
	case other == nil:
		return d, content, nil
	case len(other) == 0:
		return d, content, errUndesired{}
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
