package operator

import (
	"context"
	"fmt"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

// errPanic is a panic in the author's code.
type errPanic struct{ value any }

func (e errPanic) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// call runs Sync, or Finalize for a parent that is to go.
func (r *reconciler[P, S, C, D, R]) call(ctx context.Context, p *pass) (*Response[D, S], error) {
	request := &Request[P, C, R]{Parent: p.parent.DeepCopyObject().(P), Now: p.now}
	for i, kind := range r.kinds(&request.Children, new(D)) {
		if kind.Fields.observe != nil {
			kind.Fields.observe(p.observed[i])
		}
	}
	for i, kind := range r.relatedKinds(&request.Related) {
		kind.Fields.observe(p.related[i])
	}
	name, function := "Sync", r.definition.Sync
	if p.finalizing() {
		name, function = "Finalize", r.definition.Finalize
	}
	response, err := guarded(ctx, func() (*Response[D, S], error) { return function(ctx, request) })
	switch {
	case response == nil && err == nil:
		return nil, fmt.Errorf("%s returned neither a response nor an error", name)
	case err == nil && response.Finalized && !p.finalizing():
		return nil, fmt.Errorf("%s returned Finalized, which only Finalize may", name)
	case response != nil && !r.definition.ParentMetadata && (response.Labels != nil || response.Annotations != nil):
		return nil, fmt.Errorf("%s returned labels or annotations of the parent: the spec file allows them by parentMetadata: true", name)
	}
	return response, err
}

// guarded calls the author's code. A panic in it becomes an error.
func guarded[T any](ctx context.Context, call func() (T, error)) (answer T, err error) {
	defer func() {
		if value := recover(); value != nil {
			answer, err = *new(T), errPanic{value}
			log.FromContext(ctx).Error(err, "the author's code panicked", "stack", string(debug.Stack()))
		}
	}()
	return call()
}

// kinds binds the kinds of children to a snapshot and a desired state.
func (r *reconciler[P, S, C, D, R]) kinds(observed *C, desired *D) []ChildKind {
	if r.definition.Kinds == nil {
		return nil
	}
	return r.definition.Kinds(observed, desired)
}

// relatedKinds binds the entries of related objects to a struct that holds them.
func (r *reconciler[P, S, C, D, R]) relatedKinds(related *R) []RelatedKind {
	if r.definition.Related == nil {
		return nil
	}
	return r.definition.Related(related)
}
