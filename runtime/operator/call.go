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

// call runs Sync, or Finalize for a parent that is being deleted. A panic in it
// becomes an error.
func (r *reconciler[P, S, C, D]) call(ctx context.Context, p *pass) (response *Response[D, S], err error) {
	request := &Request[P, C]{Parent: p.parent.DeepCopyObject().(P), Now: p.now}
	for i, kind := range r.kinds(&request.Children, new(D)) {
		if kind.Fields.observe != nil {
			kind.Fields.observe(p.observed[i])
		}
	}
	defer func() {
		if value := recover(); value != nil {
			response, err = nil, errPanic{value}
			log.FromContext(ctx).Error(err, "the author's code panicked", "stack", string(debug.Stack()))
		}
	}()
	name, function := "Sync", r.definition.Sync
	if p.finalizing() {
		name, function = "Finalize", r.definition.Finalize
	}
	response, err = function(ctx, request)
	if response == nil && err == nil {
		return nil, fmt.Errorf("%s returned neither a response nor an error", name)
	}
	if err == nil && response.Finalized && !p.finalizing() {
		return nil, fmt.Errorf("%s returned Finalized, which only Finalize may", name)
	}
	return response, err
}

// kinds binds the kinds of children to a snapshot and a desired state.
func (r *reconciler[P, S, C, D]) kinds(observed *C, desired *D) []ChildKind {
	if r.definition.Kinds == nil {
		return nil
	}
	return r.definition.Kinds(observed, desired)
}
