package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// soon is when to look at a parent again after the view of it proved to be out
// of date. The event that was missing usually causes a pass before that.
const soon = 100 * time.Millisecond

// pass is one pass over one parent.
type pass struct {
	*loop
	state    *state
	parent   client.Object     // a private copy
	observed [][]client.Object // per kind of children; the cache's own objects
	now      time.Time

	overtaken bool // the parent has changed since; another pass is due
}

// finalizing tells whether the parent is being deleted.
func (p *pass) finalizing() bool { return p.parent.GetDeletionTimestamp() != nil }

// reconciler runs the passes of one controller.
type reconciler[P client.Object, S, C, D any] struct {
	*loop
	definition Definition[P, S, C, D]
}

// Reconcile runs one pass over the parent that the request names.
func (r *reconciler[P, S, C, D]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	p, err := r.look(ctx, request)
	if p == nil || err != nil {
		return reconcile.Result{}, err
	}
	seen, err := p.state.writes.Seen(ctx, r.cache, r.live, p.now)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !seen {
		r.metrics.stale(r.name)
		return reconcile.Result{RequeueAfter: soon}, nil
	}
	// Only now is the cache known to be new enough.
	if p, err = r.look(ctx, request); p == nil || err != nil {
		return reconcile.Result{}, err
	}
	if p.finalizing() && !controllerutil.ContainsFinalizer(p.parent, r.finalizer) {
		return reconcile.Result{}, nil // the garbage collector does the rest
	}
	if p.observed, err = r.observeAll(ctx, p.parent); err != nil {
		return reconcile.Result{}, err
	}
	if why := p.suspension(); why != nil {
		return r.suspend(ctx, p, *why)
	}
	input := fingerprint(p.observed)
	if left, waits := p.state.waits(p.parent, input, p.now); waits {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	return r.settle(ctx, p, input, r.run(ctx, p)), nil
}

// look reads the parent from the cache. It returns nil when there is none.
func (r *reconciler[P, S, C, D]) look(ctx context.Context, request reconcile.Request) (*pass, error) {
	parent := r.parent.new()
	err := r.cache.Get(ctx, request.NamespacedName, parent)
	if apierrors.IsNotFound(err) {
		r.states.forget(request.NamespacedName)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pass{
		loop:   r.loop,
		state:  r.states.of(request.NamespacedName, parent.GetUID()),
		parent: parent,
		now:    r.now(),
	}, nil
}

func (l *loop) observeAll(ctx context.Context, parent client.Object) ([][]client.Object, error) {
	observed := make([][]client.Object, len(l.children))
	for i, child := range l.children {
		var err error
		if observed[i], err = l.observe(ctx, child, parent.GetUID()); err != nil {
			return nil, err
		}
	}
	return observed, nil
}

// verdict is how a pass ended.
type verdict struct {
	stale   bool          // the view was out of date, so the pass stopped half-way
	requeue time.Duration // what the author asked for
	err     error
}

// run does what a pass has to do once its view of the world is complete.
func (r *reconciler[P, S, C, D]) run(ctx context.Context, p *pass) verdict {
	stale, err := p.holdFinalizer(ctx, r.definition.Finalize != nil)
	switch {
	case stale:
		return verdict{stale: true}
	case err != nil:
		return r.conclude(ctx, p, new(Response[D, S]), p.all(), fmt.Errorf("write the finalizer: %w", err))
	case p.finalizing() && r.definition.Finalize == nil:
		return verdict{}
	}
	response, err := r.call(ctx, p)
	if response == nil {
		response = new(Response[D, S])
	}
	report := report{children: p.all()}
	if response.Children != nil {
		report = p.carryOut(ctx, r.kinds(new(C), response.Children), err == nil)
		err = errors.Join(err, report.err)
	}
	metadata, refused := p.writeMetadata(ctx, response.Labels, response.Annotations)
	if refused != nil {
		err = errors.Join(err, fmt.Errorf("write the parent's labels and annotations: %w", refused))
	}
	if report.stale || metadata || ctx.Err() != nil { // or told to stop, which is no error to show
		return verdict{stale: true}
	}
	return r.conclude(ctx, p, response, report.children, err)
}

// conclude shows how a pass ended, and lets a parent go that is finalized.
func (r *reconciler[P, S, C, D]) conclude(ctx context.Context, p *pass, response *Response[D, S], children []child, err error) verdict {
	refused := r.writeStatus(ctx, p, response, p.conditions(children, err), err)
	if errors.As(refused, new(apply.ErrStale)) {
		return verdict{stale: true}
	}
	if apierrors.IsInvalid(refused) { // so the author's part of it is wrong: leave that out, and say so
		err = errors.Join(err, fmt.Errorf("write the status: %w", refused))
		refused = r.writeStatus(ctx, p, new(Response[D, S]), p.conditions(children, err), err)
	}
	err = errors.Join(err, refused)
	p.record(response.Events, err)
	var stale bool
	if response.Finalized && err == nil {
		stale, err = p.dropFinalizer(ctx)
	}
	return verdict{stale: stale, requeue: response.RequeueAfter, err: err}
}

// settle turns the end of a pass into when the next one is due. Retries are
// the state's affair, so the work queue never sees an error.
func (r *reconciler[P, S, C, D]) settle(ctx context.Context, p *pass, input uint64, end verdict) reconcile.Result {
	if end.err != nil {
		version := p.parent.GetResourceVersion()
		if p.overtaken {
			version = "" // as seen by no pass, so that none is put off
		}
		delay := p.state.fail(end.err, input, version, p.now)
		r.metrics.passed(r.name, reason(end.err), r.now().Sub(p.now))
		log.FromContext(ctx).Error(end.err, "pass failed", "reason", reason(end.err), "retry", delay.String())
		return reconcile.Result{RequeueAfter: delay}
	}
	if end.stale {
		r.metrics.passed(r.name, "stale", r.now().Sub(p.now))
		return reconcile.Result{RequeueAfter: soon}
	}
	p.state.failure = failure{}
	r.metrics.passed(r.name, "success", r.now().Sub(p.now))
	return reconcile.Result{RequeueAfter: end.requeue}
}
