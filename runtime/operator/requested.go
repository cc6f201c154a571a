package operator

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reconcileKey is the annotation, below the API group of the parent, by which users ask
// for a reconcile that writes every child, as desired or not. Its value is any token;
// each new one asks once.
const reconcileKey = "/reconcile"

// reconcileHandled is the condition whose message is the token that was handled last.
const reconcileHandled = "ReconcileHandled"

// takeRequest notes whether a user asks for a fresh write of every child. A parent that
// cannot tell which token was handled is not written again after each start.
func (r *reconciler[P, S, C, D, R]) takeRequest(p *pass) {
	token := cut(p.parent.GetAnnotations()[p.group+reconcileKey])
	if p.state.handled == "" {
		p.state.handled = token
		if r.definition.Status != nil && r.definition.Conditions != nil {
			p.state.handled = r.shownToken(p.parent)
		}
	}
	if token != p.state.handled {
		p.requested = token
	}
}

// shownToken returns the token that the parent's status says was handled.
func (r *reconciler[P, S, C, D, R]) shownToken(parent client.Object) string {
	shown := meta.FindStatusCondition(*r.definition.Conditions(r.definition.Status(parent.(P))), reconcileHandled)
	if shown == nil {
		return ""
	}
	return shown.Message
}

// handledRequest is the condition that tells of the request that this reconcile has
// handled, if there was one.
func (p *pass) handledRequest() []metav1.Condition {
	if p.requested == "" {
		return nil
	}
	return []metav1.Condition{{Type: reconcileHandled, Status: metav1.ConditionTrue, Reason: "Requested", Message: p.requested}}
}
