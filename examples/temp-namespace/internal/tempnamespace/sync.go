// Package tempnamespace gives every TempNamespace a Namespace of its name, for as long as it says.
package tempnamespace

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Reconciler makes namespaces that go by themselves.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants the Namespace until its time is over, and none from then on.
//
// It has no clock and no timer. What time it is stands in the request, when the life began stands in the status, and
// the time of the next reconcile is in the response; so a restart, or one reconcile too many, changes nothing.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	temp, want := req.Parent, new(Desired)
	namespace, exists := req.Children.Namespaces.Get(temp.Name)

	status := temp.Status // what is not set below stays
	status.Error = ""
	if status.CreatedAt == nil {
		status.CreatedAt = createdAt(namespace, exists, req.Now)
	}
	left := status.CreatedAt.Add(temp.Spec.DeleteAfter.Duration).Sub(req.Now)

	switch {
	case status.DeletedAt != nil: // it had its time, even if deleteAfter is longer now
	case left > 0:
		want.Namespaces.Add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: temp.Name}})
		return &Response{Children: want, Status: &status, RequeueAfter: left}, nil
	case exists: // its end causes another reconcile
		status.Error = whatKeeps(namespace)
	default:
		status.DeletedAt = &metav1.Time{Time: req.Now}
	}
	return &Response{Children: want, Status: &status}, nil
}

// createdAt is when a life began of which the status does not know: now, unless the status that should have said so
// was lost and the Namespace is there already.
func createdAt(namespace *corev1.Namespace, exists bool, now time.Time) *metav1.Time {
	if exists {
		return &namespace.CreationTimestamp
	}
	return &metav1.Time{Time: now}
}

// whatKeeps says why a Namespace is still there, in the API server's words: usually that something in it waits for a
// finalizer.
func whatKeeps(namespace *corev1.Namespace) string {
	var reasons []string
	for _, condition := range namespace.Status.Conditions {
		if condition.Status == corev1.ConditionTrue {
			reasons = append(reasons, condition.Message)
		}
	}
	return strings.Join(reasons, "; ")
}
