package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/passes"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// soon is when to look at a parent again after the view of it proved to be out
// of date. The event that was missing usually causes a pass before that.
const soon = 100 * time.Millisecond

// pass is one pass over one parent.
type pass struct {
	*loop
	state    *state
	parent   client.Object     // its fields may be set; what is in them is the cache's own
	observed [][]client.Object // per kind of children; the cache's own objects
	related  [][]client.Object // per entry of related objects; the cache's own
	now      time.Time
	notes    *passes.Pass // for a test that looks on; nil where none does

	conflict  error                       // why the pass stopped half-way, where the API server said so
	overtaken bool                        // the parent has changed since; another pass is due
	removed   map[types.UID]bool          // children that this pass has deleted or released
	strayed   error                       // what went wrong with children of an earlier parent
	held      *backoff.Conflict           // why the parent's metadata is not written yet; nil when it is
	unkept    *backoff.Conflict           // why its status is not repaired yet; nil when it is
	seen      sight                       // what the pass saw
	wants     uint64                      // sums up the children that Sync wants
	wrote     []string                    // what the pass has written, as a person reads it
	made      map[types.UID]client.Object // children that the pass has written, as it left them
	requested string                      // the token by which a user asks for a write of everything; empty: nobody does
}

// deleting tells whether the parent is being deleted.
func (p *pass) deleting() bool { return p.parent.GetDeletionTimestamp() != nil }

// finalizing tells whether the parent is to go: it is being deleted, or is no
// parent any more.
func (p *pass) finalizing() bool { return p.deleting() || !p.selects.matches(p.parent) }

// owner is the parent as its children refer to it.
func (p *pass) owner() ownership.Parent {
	return ownership.Parent{Kind: p.loop.parent.GroupVersionKind, Name: client.ObjectKeyFromObject(p.parent), UID: p.parent.GetUID()}
}

// reconciler runs the passes over one kind of parents.
type reconciler[P client.Object, S, C, D, R any] struct {
	*loop
	definition Definition[P, S, C, D, R]
}

// pass runs one pass over the parent that the request names, and notes how it goes.
func (r *reconciler[P, S, C, D, R]) pass(ctx context.Context, request reconcile.Request, notes *passes.Pass) (reconcile.Result, error) {
	ctx = r.environment.ReconcileContext(ctx)
	if ctx == nil {
		return reconcile.Result{}, nil
	}
	p, stale, err := r.view(ctx, request)
	if stale {
		r.metrics.CountStale(r.name)
		notes.WasStale()
		return reconcile.Result{RequeueAfter: soon}, nil
	}
	if p == nil || err != nil {
		return reconcile.Result{}, err
	}
	p.notes = notes
	p.recordParent()
	if p.deleting() && !controllerutil.ContainsFinalizer(p.parent, r.finalizer) {
		r.unrelate(request.NamespacedName)
		return reconcile.Result{}, nil // the garbage collector does the rest
	}
	if p.observed, err = r.observe(p.parent); err != nil {
		return reconcile.Result{}, err
	}
	if !p.selects.matches(p.parent) && p.untouched() {
		if err := p.pruneStrays(ctx); err != nil {
			return reconcile.Result{}, err
		}
		r.forget(request.NamespacedName)
		r.arrivals.forget(p.parent)
		return reconcile.Result{}, nil
	}
	if why := p.suspension(); why != nil {
		return r.suspend(ctx, p, *why)
	}
	if p.state.busy() {
		return reconcile.Result{RequeueAfter: lateness}, nil
	}
	wrong := r.relate(ctx, p)
	if ctx.Err() != nil {
		return reconcile.Result{}, nil
	}
	p.followSpec()
	p.seen = sight{fingerprint(append(p.observed, p.related...)), p.parent.GetResourceVersion()}
	if left, waits := p.waits(); waits && !notes.Forced() {
		notes.Waited()
		return reconcile.Result{RequeueAfter: left}, nil
	}
	if notes.Forced() {
		p.state.retryNow()
	}
	ctx, span := process.StartReconcile(ctx, p.name, p.loop.parent.GroupVersionKind, p.parent)
	defer span.End()
	r.takeRequest(p)
	p.strayed = p.pruneStrays(ctx)
	if wrong != nil {
		return r.settle(ctx, p, r.conclude(ctx, p, new(Response[D, S]), p.all(), wrong)), nil
	}
	return r.settle(ctx, p, r.unstick(ctx, p, r.run(ctx, p))), nil
}

// waits tells whether the pass has nothing to do before its time, which is that of
// a retry, or of the next turn of a hot loop.
func (p *pass) waits() (time.Duration, bool) {
	if left, waits := p.state.waits(p.parent, p.seen.input, p.now); waits {
		return left, true
	}
	return p.state.hotLoop.holds(p.seen, p.now)
}

// verdict is how a pass ended.
type verdict struct {
	stale   bool          // the view was out of date, so the pass stopped half-way
	requeue time.Duration // what the author asked for
	ready   bool
	err     error
}

// run does what a pass has to do once its view of the world is complete.
func (r *reconciler[P, S, C, D, R]) run(ctx context.Context, p *pass) verdict {
	if p.finalizing() {
		return r.finalize(ctx, p)
	}
	p.state.finalized = false         // of one that was no parent for a while
	if r.definition.Finalize != nil { // before Sync has any effect
		stale, err := p.holdFinalizer(ctx)
		switch {
		case stale:
			return verdict{stale: true}
		case err != nil:
			return r.conclude(ctx, p, new(Response[D, S]), p.all(), fmt.Errorf("write the finalizer: %w", err))
		}
	}
	response, report, err := r.answer(ctx, p)
	if report.stale || ctx.Err() != nil { // or told to stop, which is no error to show
		return verdict{stale: true}
	}
	return r.conclude(ctx, p, response, report.children, err)
}

// answer calls the author's code and carries out what it wants of the children
// and of the parent's metadata. The error is all that went wrong.
func (r *reconciler[P, S, C, D, R]) answer(ctx context.Context, p *pass) (*Response[D, S], report, error) {
	response, err := r.call(ctx, p)
	if response == nil {
		response = new(Response[D, S])
	}
	done := report{children: p.all()}
	switch {
	case response.Children != nil:
		done = p.carryOut(ctx, r.kinds(new(C), response.Children), r.definition.Finalize != nil, err == nil)
	case err == nil:
		done = p.leaveAlone(ctx, r.definition.Finalize != nil)
	}
	err = errors.Join(err, done.err)
	stale, refused := p.writeMetadata(ctx, response.Labels, response.Annotations)
	if refused != nil {
		err = errors.Join(err, fmt.Errorf("write the parent's labels and annotations: %w", refused))
	}
	done.stale = done.stale || stale
	return response, done, err
}

// conclude shows how a pass ended.
func (r *reconciler[P, S, C, D, R]) conclude(ctx context.Context, p *pass, response *Response[D, S], children []child, err error) verdict {
	err = errors.Join(err, p.strayed)
	err = p.state.giveUp(err, r.definition.Retries)
	conditions := p.shown(children, err)
	if !p.mayPass(err) {
		refused := r.writeStatus(ctx, p, response, conditions, err)
		if failed, ok := errors.AsType[backoff.Failed](refused); ok && !failed.IsYoung(p.loop.now()) { // leave out the author's part, and say so
			err = errors.Join(err, fmt.Errorf("write the status: %w", refused))
			conditions = p.shown(children, err)
			refused = r.writeStatus(ctx, p, new(Response[D, S]), conditions, err)
		}
		if errors.As(refused, new(apply.ErrStale)) {
			return verdict{stale: true}
		}
		err = p.state.giveUp(errors.Join(err, refused), r.definition.Retries)
	}
	p.record(response.Events, err)
	if r.definition.Conditions == nil {
		p.warnOf(ctx, p.conflictTexts(children)...)
	}
	conditions = mergeConditions(nil, conditions, response.Conditions, func(string) bool { return false }, err != nil, 0, p.now)
	requeue := p.earlier(response.RequeueAfter, children)
	r.noteAnswer(ctx, p, response, requeue)
	if err == nil {
		p.state.handled = cmp.Or(p.requested, p.state.handled)
	}
	return verdict{requeue: requeue, ready: isReady(conditions, 0), err: err}
}

// mayPass reports whether an error consists of writes that failed for a reason which often
// passes by itself. The status tells of them only when they last.
func (p *pass) mayPass(err error) bool {
	failed, alone := backoff.FailedIn(err)
	lasts := func(f backoff.Failed) bool { return !f.IsYoung(p.loop.now()) }
	return alone && !isTerminal(err) && !slices.ContainsFunc(failed, lasts)
}

// earlier returns when the next pass is due: when the author asked for it, or
// before that when what others have changed is to be repaired, or what admission has
// changed is to be tried again.
func (p *pass) earlier(requeue time.Duration, children []child) time.Duration {
	conflicts := []*backoff.Conflict{p.held, p.unkept}
	for _, child := range children {
		conflicts = append(conflicts, child.conflict)
		if len(child.altered) > 0 && (requeue == 0 || apply.AlteredRetry < requeue) {
			requeue = apply.AlteredRetry
		}
	}
	for _, conflict := range conflicts {
		if conflict == nil {
			continue
		}
		if left := max(conflict.Retry.Sub(p.now), time.Millisecond); requeue == 0 || left < requeue {
			requeue = left
		}
	}
	return requeue
}

// settle turns the end of a pass into when the next one is due. Retries are
// the state's affair, so the work queue never sees an error.
func (r *reconciler[P, S, C, D, R]) settle(ctx context.Context, p *pass, end verdict) reconcile.Result {
	if end.err != nil {
		version := p.parent.GetResourceVersion()
		if p.overtaken {
			version = "" // as seen by no pass, so that none is put off
		}
		delay := p.state.fail(end.err, end.requeue, p.leaves().input, version, p.now)
		p.notes.Failed(reason(end.err), end.err)
		p.ended(ctx, reason(end.err), end.err)
		log.FromContext(ctx).Error(end.err, "pass failed", "reason", reason(end.err), "retry", delay.String())
		return reconcile.Result{RequeueAfter: delay}
	}
	if end.stale {
		p.notes.WasStale()
		p.ended(ctx, "stale", nil)
		return reconcile.Result{RequeueAfter: soon}
	}
	p.state.failure = failure{}
	p.ended(ctx, "success", nil)
	if end.ready {
		p.converged()
	}
	return reconcile.Result{RequeueAfter: end.requeue}
}

// ended counts a pass that ended with this result, and says so in its span.
func (p *pass) ended(ctx context.Context, result string, err error) {
	p.metrics.CountReconcile(p.name, result, p.loop.now().Sub(p.now))
	text := ""
	if err != nil {
		text = message(err)
	}
	process.SetResult(ctx, result, text)
}

// forget drops what is remembered of a parent that is gone.
func (l *loop) forget(name client.ObjectKey) {
	l.states.forget(name)
	l.unrelate(name)
}

// unrelate has a parent read nothing any more.
func (l *loop) unrelate(name client.ObjectKey) {
	for _, kind := range l.related {
		kind.index.Set(name, nil)
	}
}
