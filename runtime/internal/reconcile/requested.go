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

// writeRequest is the request that a reconcile handles, if there is one.
type writeRequest struct {
	*subject
	token       string // empty: nobody requests that every child is written
	isUnwritten bool   // a child is not written for it yet
}

// take takes the request that was not handled yet. A parent that cannot show which token was handled is
// not written again after each start.
func (w *writeRequest) take() {
	known := &w.state.requests
	token := truncateText(w.parent.GetAnnotations()[w.loop.definition.Group+reconcileKey])
	if !known.isKnown {
		known.isKnown, known.handled = true, token
		if access := w.loop.definition.Status; access.HasConditions() {
			known.handled = ""
			if condition := access.FindCondition(w.parent, status.ReconcileHandled); condition != nil {
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
	w.token = token
}

// isRewritten reports whether a request has a child written that is not yet written for it.
func (w *writeRequest) isRewritten(key apply.Key) bool {
	return w.token != "" && !w.state.requests.written[key]
}

// recordRewrite records that a child is written, for the request that there may be.
func (w *writeRequest) recordRewrite(key apply.Key) {
	if w.token != "" {
		w.state.requests.written[key] = true
	}
}

// hasUnwritten reports whether a request has children written that wait for others, for their turn
// or for the end of a backoff.
func (w *writeRequest) hasUnwritten(tasks []task) bool {
	return slices.ContainsFunc(tasks, func(t task) bool { return w.isRewritten(t.Key()) })
}

// completeRequest records that the request is handled, unless children are still to be written
// for it.
func (w *writeRequest) completeRequest() {
	if w.token != "" && !w.isUnwritten {
		w.state.requests = requests{isKnown: true, handled: w.token}
	}
}

// handledCondition returns the condition of the request that this reconcile has handled; none
// if there was no request.
func (w *writeRequest) handledCondition() []metav1.Condition {
	if w.token == "" || w.isUnwritten {
		return nil
	}
	return []metav1.Condition{{Type: status.ReconcileHandled, Status: metav1.ConditionTrue, Reason: "Requested", Message: w.token}}
}
