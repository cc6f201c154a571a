package operator

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// The annotations, below the API group of the parent, by which users take a
// parent out of the operator's hands while their value is "true".
const (
	pauseKey      = "/paused"     // its children are not written, and it is not finalized
	disconnectKey = "/disconnect" // its children are nobody's, and stay as they are
)

// suspended is the condition of a parent that is out of the operator's hands.
// It exists only while it is true; the conditions of the last pass before stay.
const suspended = "Suspended"

// suspension returns the condition of a parent that a user has suspended, nil
// for any other.
func (p *pass) suspension() *metav1.Condition {
	annotations := p.parent.GetAnnotations()
	switch {
	case annotations[p.group+disconnectKey] == "true":
		return &metav1.Condition{Type: suspended, Status: metav1.ConditionTrue, Reason: "Disconnected",
			Message: "its children belong to nobody while the annotation " + p.group + disconnectKey + " is set"}
	case annotations[p.group+pauseKey] == "true":
		return &metav1.Condition{Type: suspended, Status: metav1.ConditionTrue, Reason: "Paused",
			Message: "its children are not written while the annotation " + p.group + pauseKey + " is set"}
	}
	return nil
}

// suspend is the pass over a suspended parent: Sync is not called.
func (r *reconciler[P, S, C, D, R]) suspend(ctx context.Context, p *pass, why metav1.Condition) (reconcile.Result, error) {
	stale := false
	if why.Reason == "Disconnected" {
		var err error
		if stale, err = p.disconnect(ctx); err != nil {
			return reconcile.Result{}, err
		}
	}
	gone := p.deleting() && len(p.parent.GetFinalizers()) == 0 // with the last finalizer
	if !stale && !gone {
		err := r.showSuspension(ctx, p, why)
		if stale = errors.As(err, new(apply.ErrStale)); err != nil && !stale {
			return reconcile.Result{}, err
		}
	}
	if stale {
		return reconcile.Result{RequeueAfter: soon}, nil
	}
	p.state.failure, p.state.memo = failure{}, apply.Memo{}
	return reconcile.Result{RequeueAfter: p.earlier(0, nil)}, nil
}

// disconnect releases the children, and lets the parent go without them.
func (p *pass) disconnect(ctx context.Context) (stale bool, err error) {
	for _, child := range p.all() {
		switch released := p.release(ctx, child); {
		case errors.As(released, new(apply.ErrStale)):
			stale = true
		case released != nil:
			err = errors.Join(err, errChild{child.key(), released})
		}
	}
	if stale || err != nil {
		return stale, err
	}
	return p.dropFinalizer(ctx)
}

// showSuspension adds the condition to the status, whose other parts stay.
func (r *reconciler[P, S, C, D, R]) showSuspension(ctx context.Context, p *pass, why metav1.Condition) error {
	if r.definition.Status == nil || r.definition.Conditions == nil {
		return nil
	}
	before := r.definition.Status(p.parent.(P))
	if shown := meta.FindStatusCondition(*r.definition.Conditions(before), suspended); shown != nil && shown.Reason == why.Reason {
		return nil
	}
	after := *before
	conditions := append([]metav1.Condition(nil), *r.definition.Conditions(before)...)
	why.ObservedGeneration, why.LastTransitionTime = p.parent.GetGeneration(), metav1.NewTime(p.now)
	meta.SetStatusCondition(&conditions, why)
	*r.definition.Conditions(&after) = conditions
	return r.patchStatus(ctx, p, before, &after)
}
