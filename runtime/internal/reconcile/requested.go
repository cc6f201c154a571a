package reconcile

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// reconcileKey is the annotation, below the API group of the parent, by which users request a
// reconcile that writes every child, whether it is in sync or not. Its value is any token;
// each new one requests one reconcile.
const reconcileKey = "/reconcile"

// requests is what is remembered of the requests of users for one parent.
type requests struct {
	isKnown bool               // handled was read from the parent
	handled string             // the token of the last one that was handled
	pending string             // the token of one that is not handled yet
	written map[apply.Key]bool // children that were written for it
}

// takeRequest returns the token of a request that was not handled yet; empty if there is
// none. A parent that cannot show which token was handled is not written again after each
// start.
func (r *run) takeRequest() string {
	known := &r.state.requests
	token := truncateText(r.parent.GetAnnotations()[r.loop.definition.Group+reconcileKey])
	if !known.isKnown {
		known.isKnown, known.handled = true, token
		if access := r.loop.definition.Status; access.HasConditions() {
			known.handled = ""
			if condition := access.FindCondition(r.parent, status.ReconcileHandled); condition != nil {
				known.handled = condition.Message
			}
		}
	}
	if token == known.handled {
		token = ""
	}
	if token != known.pending {
		known.pending, known.written = token, map[apply.Key]bool{}
	}
	return token
}

// isRewritten reports whether a request has a child written that is not yet written for it.
func (r *run) isRewritten(key apply.Key) bool {
	return r.requestToken != "" && !r.state.requests.written[key]
}

// recordRewrite records that a child is written, for the request that there may be.
func (r *run) recordRewrite(key apply.Key) {
	if r.requestToken != "" {
		r.state.requests.written[key] = true
	}
}

// hasUnwritten reports whether a request has children written that wait for others, for their turn
// or for the end of a backoff.
func (r *run) hasUnwritten(tasks []task) bool {
	return slices.ContainsFunc(tasks, func(t task) bool { return r.isRewritten(t.Key()) })
}

// completeRequest records that the request is handled, unless children are still to be written
// for it.
func (r *run) completeRequest() {
	if r.requestToken != "" && !r.isUnwritten {
		r.state.requests = requests{isKnown: true, handled: r.requestToken}
	}
}

// handledCondition returns the condition of the request that this reconcile has handled; none
// if there was no request.
func (r *run) handledCondition() []metav1.Condition {
	if r.requestToken == "" || r.isUnwritten {
		return nil
	}
	return []metav1.Condition{{Type: status.ReconcileHandled, Status: metav1.ConditionTrue, Reason: "Requested", Message: r.requestToken}}
}
