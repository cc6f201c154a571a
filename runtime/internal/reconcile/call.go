package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// caller calls the author's code.
type caller struct {
	*subject
	hasRoom bool          // for a slow call
	wasSlow bool          // a call was slow
	reads   []atomic.Bool // by kind of children: whether the author's code has looked at its snapshot
	// readsOutdated is set when the author's code asks whether a child is outdated. toldOutdated are
	// those of which its last call is told that they are.
	readsOutdated atomic.Bool
	toldOutdated  outdatedNames
	asked         askedNames    // the names of which the author's code asks whether they conflict
	lookedUp      nameConflicts // those of them that were looked up
}

// readsOf returns what is set when the author's code looks at the snapshot of a kind.
func (c *caller) readsOf(kind *childKind) *atomic.Bool {
	if c.reads == nil {
		c.reads = make([]atomic.Bool, len(c.loop.definition.Children))
	}
	return &c.reads[kind.index]
}

// callAuthor calls Sync, or Finalize for a parent that is finalized.
func (c *caller) callAuthor(ctx context.Context, observed *observed) (*declared.Response, error) {
	if c.isFinalizing() {
		return c.call(ctx, "Finalize", c.loop.definition.Author.Finalize(c.newRequest(observed)))
	}
	return c.callSync(ctx, observed)
}

// callSync calls Sync. It shows a parent that is being deleted as if it were not: what Sync desires of
// its children is needed once more.
func (c *caller) callSync(ctx context.Context, observed *observed) (*declared.Response, error) {
	request := c.newRequest(observed)
	request.Parent.SetDeletionTimestamp(nil)
	return c.call(ctx, "Sync", c.loop.definition.Author.Sync(request))
}

// call makes a call of the author's code, and checks its response.
func (c *caller) call(ctx context.Context, name string, call declared.Call) (*declared.Response, error) {
	response, err := callWithTimeout(ctx, c, name, func(ctx context.Context) (*declared.Response, error) {
		return process.CallInSpan(ctx, name, errorMessage, call)
	})
	if response == nil && err == nil {
		return nil, fmt.Errorf("%s returned neither a response nor an error", name)
	}
	if response != nil {
		if invalid := c.checkParentPart(name, response, err); invalid != nil {
			return nil, invalid
		}
	}
	return response, err
}

// checkParentPart returns an error if a response says of the parent what it may not. failed is
// the error beside the response.
func (c *caller) checkParentPart(name string, response *declared.Response, failed error) error {
	switch {
	case failed == nil && response.Finalized && !c.isFinalizing():
		return fmt.Errorf("%s returned Finalized, which only Finalize may", name)
	case !c.loop.definition.ParentMetadata && (response.Labels != nil || response.Annotations != nil):
		return fmt.Errorf("%s returned labels or annotations of the parent: the spec file allows them by parentMetadata: true", name)
	}
	return nil
}

// newRequest returns the request of a reconcile, with children of all kinds of the
// definition.
func (c *caller) newRequest(observed *observed) declared.Request {
	namespace := c.parent.GetNamespace()
	request := declared.Request{
		Parent: CopyObject(c.parent), Children: make([]declared.View, len(c.loop.definition.Children)), Refused: make([]declared.Refusals, len(c.loop.definition.Children)),
		Now: c.now, IsObserving: c.loop.environment.Observe,
	}
	refused := c.state.applied.Refused()
	c.toldOutdated = c.state.outdated.namesIn(observed)
	for i, kind := range observed.kinds {
		if !observed.isServed[i] {
			continue
		}
		request.Children[kind.index] = declared.View{
			Objects: observed.children[i], Namespace: c.loop.childView(namespace, kind.kind), Read: c.readsOf(kind), IsServed: true,
			NameConflicts: c.state.conflicts.ofKind(kind), AskNameConflict: func(name types.NamespacedName) { c.asked.add(kind, name) },
			Rules: kind.healthRules(), Outdated: c.toldOutdated[kind], OutdatedRead: &c.readsOutdated,
			GeneratedTokens: c.loop.childCache.generatedTokens, Desired: c.desiredTexts(kind, observed.children[i]),
		}
		request.Refused[kind.index] = kind.refusalsOf(refused)
	}
	for i, objects := range observed.related {
		if !observed.isRelatedServed[i] {
			request.Related = append(request.Related, declared.View{})
			continue
		}
		related := c.loop.relatedKinds[i]
		if related.isBetween { // they come after the entries of the definition
			break
		}
		request.Related = append(request.Related, declared.View{
			Objects: objects, Namespace: c.loop.relatedView(namespace, related), IsServed: true, Rules: health.Rules{LacksStatus: related.isStatusless()},
		})
	}
	return request
}

// refusalsOf returns those of the refusals that are of a kind. A name conflict is none: Sync asks for it by
// NameConflict.
func (kind *childKind) refusalsOf(refused map[apply.Key]error) declared.Refusals {
	var found declared.Refusals
	for key, err := range refused {
		if key.Kind != kind.GroupVersionKind || errors.As(err, new(apply.ErrNameConflict)) {
			continue
		}
		if found == nil {
			found = declared.Refusals{}
		}
		found[key.Name] = err
	}
	return found
}

// CopyObject returns a copy of an object of a cache that can be written as it is.
func CopyObject(object client.Object) client.Object {
	copied := object.DeepCopyObject().(client.Object)
	managedfields.DropTrimmedManagedFields(copied)
	return copied
}

// callWithTimeout makes a call of the author's code, with a context that ends after the
// definition's timeout, or before that if too many calls are slow. It abandons a call that does not
// return then: its worker is free for other parents, and its own parent is not reconciled before the
// call has returned.
func callWithTimeout[T any](ctx context.Context, c *caller, name string, call func(context.Context) (T, error)) (T, error) {
	timeout := cmp.Or(c.loop.definition.Timeout, backoff.CallTimeout)
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	type answer struct {
		value T
		err   error
	}
	answers, returned := make(chan answer, 1), make(chan struct{})
	go func() {
		defer close(returned)
		got := answer{err: fmt.Errorf("%s ended without a return", name)} // as runtime.Goexit does
		defer func() { answers <- got }()
		value, err := recoverPanic(ctx, func() (T, error) { return call(ctx) })
		got = answer{value, err}
	}()
	var got answer
	hasReturned, begun, slow := false, time.Now(), time.NewTimer(backoff.SlowCall)
	defer slow.Stop()
	for !hasReturned && ctx.Err() == nil {
		select {
		case got = <-answers:
			hasReturned = true
		case <-slow.C:
			if !c.continueSlow(ctx, name) {
				end(errPutOff{name})
			}
		case <-ctx.Done():
		}
	}
	if !hasReturned {
		select {
		case got = <-answers:
		case <-time.After(backoff.CallGrace):
			c.state.abandoned = returned
			got.err = errAbandoned
		}
	}
	isTimedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
	c.noteSpeed(isTimedOut || time.Since(begun) >= backoff.SlowCall)
	switch putOff, isPutOff := errors.AsType[errPutOff](context.Cause(ctx)); {
	case got.err == nil:
	case isPutOff:
		got.err = putOff
	case isTimedOut:
		got.err = errTimeout{name, timeout, got.err}
	case errors.Is(got.err, errAbandoned):
		got.err = ctx.Err()
	}
	return got.value, got.err
}

// errAbandoned is the error of a call that has not returned although its context has ended.
var errAbandoned = errors.New("abandoned")

// recoverPanic makes a call, as of the author's code, and turns a panic into an error.
func recoverPanic[T any](ctx context.Context, call func() (T, error)) (answer T, err error) {
	defer func() {
		if value := recover(); value != nil {
			answer, err = *new(T), errPanic{value}
			log.FromContext(ctx).Error(err, "recovered from a panic", "stack", string(debug.Stack()))
		}
	}()
	return call()
}

// recordApplied calls the functions that the author gave for children which are applied, and
// returns the response as they have changed it. If one of them fails, the author's part of the
// status stays as it is: the response returned has none.
func (c *caller) recordApplied(ctx context.Context, response *declared.Response, children []child) (*declared.Response, error) {
	var functions []func(original any) error
	for _, child := range children {
		functions = append(functions, child.whenApplied...)
	}
	if len(functions) == 0 {
		return response, nil
	}
	const name = "the function of WhenApplied"
	changed, err := callWithTimeout(ctx, c, name, func(context.Context) (*declared.Response, error) {
		var failed []error
		for _, function := range functions {
			failed = append(failed, function(response.Original))
		}
		return response.ConvertAgain(), errors.Join(failed...)
	})
	if err == nil {
		err = c.checkParentPart(name, changed, nil)
	}
	if err != nil {
		return new(declared.Response), err
	}
	return changed, nil
}
