// Package bluegreendeployment runs the Pods of every BlueGreenDeployment in one of two colors. A
// new template goes to the other color. Once all of its Pods are available, the traffic moves.
package bluegreendeployment

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"

	v1 "example.com/bluegreen/api/v1"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants a ReplicaSet of each color, and the Service that sends traffic to one of them.
//
// It keeps no list of steps. While the active color lacks the template of the spec, the other one
// gets it and all replicas. Once these are available, the Service moves, and the status records
// that. From the next reconcile on, the other color is the active one, and this one loses its Pods.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	want, active := new(Desired), activeColor(req)
	serving, isCurrent := replicaSetFor(req, active)
	next, hasTemplate := replicaSetFor(req, otherColor(active))

	traffic := active
	switch {
	case isCurrent || !hasTemplate: // nothing to roll out, or Pods of another template go first
		next.Spec.Replicas = ptr.To[int32](0)
	case isAvailable(req, next):
		traffic = otherColor(active)
	}
	want.ReplicaSets.Add(serving, operator.ReadyIf(isCurrent, "has an earlier template"))
	want.ReplicaSets.Add(next)
	want.Services.Add(serviceFor(req.Parent, traffic), operator.WhenApplied(func(response *Response) {
		response.Status = statusOf(req, traffic) // a color is the active one once it has the traffic
	}))
	return &Response{Children: want, Status: statusOf(req, active)}, nil
}

// activeColor returns the color that has the traffic. The status decides: only the operator writes
// it. The selector of the Service does not, because somebody who edits it must not scale down the
// color that works: the edit is drift, and is repaired. Without a status, as after a restore from a
// backup, the Service does decide, so that the traffic stays where it is.
func activeColor(req *Request) v1.Color {
	if color := req.Parent.Status.ActiveColor; color != "" {
		return color
	}
	service, ok := req.Children.Services.Get(req.Parent.Spec.Service.Name)
	if ok && service.Spec.Selector[colorLabel] == string(v1.ColorGreen) {
		return v1.ColorGreen
	}
	return v1.ColorBlue
}

func otherColor(color v1.Color) v1.Color {
	if color == v1.ColorBlue {
		return v1.ColorGreen
	}
	return v1.ColorBlue
}
