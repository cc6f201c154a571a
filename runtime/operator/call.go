package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/process"
)

const (
	// defaultTimeout is what Sync and Finalize may take.
	defaultTimeout = 2 * time.Minute
	// lateness is how long an answer is waited for after the context has ended.
	lateness = time.Second
)

// errTimeout says that the author's code took too long.
type errTimeout struct {
	name  string
	after time.Duration
	err   error // what it returned; nil if it did not
}

func (e errTimeout) Unwrap() error { return e.err }

func (e errTimeout) Error() string {
	text := fmt.Sprintf("%s did not end within %s", e.name, e.after)
	if e.err == nil {
		return text + " and still runs: it must return when its context ends"
	}
	return text + ": " + e.err.Error()
}

// errPanic is a panic in the author's code.
type errPanic struct{ value any }

func (e errPanic) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// call runs Sync, or Finalize for a parent that is to go.
func (r *reconciler[P, S, C, D, R]) call(ctx context.Context, p *pass) (*Response[D, S], error) {
	request := &Request[P, C, R]{Parent: copyOf(p.parent).(P), Now: p.now}
	for i, kind := range r.kinds(&request.Children, new(D)) {
		if kind.Fields.observe != nil {
			kind.Fields.observe(p.observed[i], kind.ReadyWhen)
		}
	}
	for i, kind := range r.relatedKinds(&request.Related) {
		kind.Fields.observe(p.related[i], nil)
	}
	name, function := "Sync", r.definition.Sync
	if p.finalizing() {
		name, function = "Finalize", r.definition.Finalize
	}
	before := p.copyInputs(request.Parent)
	answer := func() (*Response[D, S], error) {
		return within(ctx, p.state, name, cmp.Or(r.definition.Timeout, defaultTimeout), func(ctx context.Context) (*Response[D, S], error) {
			return process.CallInSpan(ctx, name, message, func(ctx context.Context) (*Response[D, S], error) { return function(ctx, request) })
		})
	}
	response, err := answer()
	inspectAnswer(p, before, request.Parent, response, err, answer)
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

// kinds binds the kinds of children to a snapshot and a desired state. They are those
// that the loop has.
func (r *reconciler[P, S, C, D, R]) kinds(observed *C, desired *D) []ChildKind {
	if r.definition.Kinds == nil {
		return nil
	}
	kinds := r.definition.Kinds(observed, desired)
	if !slices.Contains(r.absent, true) {
		return kinds
	}
	var served []ChildKind
	for i, kind := range kinds {
		if !r.absent[i] {
			served = append(served, kind)
		}
	}
	return served
}

// relatedKinds binds the entries of related objects to a struct that holds them.
func (r *reconciler[P, S, C, D, R]) relatedKinds(related *R) []RelatedKind {
	if r.definition.Related == nil {
		return nil
	}
	return r.definition.Related(related)
}

// within calls the author's code with a context that ends after the timeout. A
// call that does not return then is given up: its worker is free for other
// parents, and its own parent gets no pass before it has returned.
func within[T any](ctx context.Context, s *state, name string, timeout time.Duration, call func(context.Context) (*T, error)) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type answer struct {
		value *T
		err   error
	}
	answers, ended := make(chan answer, 1), make(chan struct{})
	go func() {
		defer close(ended)
		got := answer{err: fmt.Errorf("%s ended without a return", name)} // as runtime.Goexit does
		defer func() { answers <- got }()
		value, err := guarded(ctx, func() (*T, error) { return call(ctx) })
		got = answer{value, err}
	}()
	timedOut := func(err error) error {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errTimeout{name, timeout, err}
		}
		return cmp.Or(err, ctx.Err())
	}
	select {
	case got := <-answers:
		if got.err != nil && ctx.Err() != nil {
			got.err = timedOut(got.err)
		}
		return got.value, got.err
	case <-ctx.Done():
	}
	select {
	case got := <-answers:
		if got.err != nil {
			got.err = timedOut(got.err)
		}
		return got.value, got.err
	case <-time.After(lateness):
		s.lingers = ended
		return nil, timedOut(nil)
	}
}
