package reconcile

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// reconcileKey is the annotation, below the API group of the parent, by which users request a
// reconcile that writes every child, whether it is in sync or not. Its value is any token;
// each new one requests one reconcile.
const reconcileKey = "/reconcile"

// reconcileHandled is the type of the condition whose message is the token that was handled
// last.
const reconcileHandled = "ReconcileHandled"

// takeRequest returns the token of a request that was not handled yet; empty if there is
// none. A parent that cannot show which token was handled is not written again after each
// start.
func takeRequest(r *run) string {
	token := truncateText(r.parent.GetAnnotations()[r.loop.definition.Group+reconcileKey])
	if r.state.handledToken == "" {
		r.state.handledToken = token
		if access := r.loop.definition.Status; access.HasConditions() {
			r.state.handledToken = ""
			if condition := access.FindCondition(r.parent, reconcileHandled); condition != nil {
				r.state.handledToken = condition.Message
			}
		}
	}
	if token == r.state.handledToken {
		return ""
	}
	return token
}

// handledCondition returns the condition of the request that this reconcile has handled; none
// if there was no request.
func handledCondition(r *run) []metav1.Condition {
	if r.requestToken == "" {
		return nil
	}
	return []metav1.Condition{{Type: reconcileHandled, Status: metav1.ConditionTrue, Reason: "Requested", Message: r.requestToken}}
}
