package operator

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Response is what Sync and Finalize return. D is the generated struct with
// one [DesiredSet] per kind of children, S the parent's status type.
//
// Nil means leave alone: without Children nothing is applied and nothing is
// pruned, without Status the author's part of the status stays as it is. The
// runtime writes its own conditions and observedGeneration in any case, so that
// Ready always tells how the children are. A response that comes with an error is
// still carried out, but nothing is pruned.
type Response[D, S any] struct {
	// Children is the complete set of children that the parent desires. One that
	// is left out gets pruned; new(Desired) asks for none at all. The same goes for its patches of
	// related objects.
	Children *D
	// KeepAll makes Children a part of the answer: what it does not mention stays as it is, of every
	// kind, as by [DesiredSet.Keep]. Nothing is pruned, and no patch is removed.
	KeepAll bool
	// Delete lists related objects of this request that are to be deleted, if their entry in the spec file
	// says delete: true. Each is deleted after the status is written, if the object still has its
	// UID, and unless something has failed in the reconcile. One that is gone or being deleted needs no
	// more. A child is no related object: it is pruned once it is left out of Children.
	Delete []client.Object
	// Status is the complete status. The runtime fills in its
	// observedGeneration and conditions; conditions found in it are ignored.
	// Nil leaves the other fields as they are.
	Status *S
	// Conditions are the author's own conditions, by type. Their
	// observedGeneration and lastTransitionTime are filled in. When it is not
	// nil, it is complete: a condition that an earlier reconcile set and that is
	// left out goes away, while conditions that others set stay. A condition
	// of type Ready replaces the one that the runtime derives from the
	// children's health where it is False or Unknown, or where the runtime's is
	// True. It cannot make a parent ready whose children are not, and cannot
	// replace what the runtime says of an error, a failed child, or a child that
	// others keep changing.
	Conditions []metav1.Condition
	// Labels and Annotations are the parent's own that this operator sets: each
	// is the complete set of them, so that one that an earlier reconcile set and
	// that is left out is taken off. Those that others set stay, and nil
	// leaves all alone.
	Labels, Annotations map[string]string
	// Events are recorded on the parent. An event that the parent's previous
	// reconcile returned, too, is not recorded again.
	Events []Event
	// RequeueAfter asks for another reconcile after this time; zero asks for none.
	// Any change to the parent or a child causes a reconcile anyway. A negative time
	// has passed: it asks for one more reconcile now, and for later ones if the
	// answer stays the same. [Response.RequeueAt] sets it to the earliest of several times.
	RequeueAfter time.Duration
	// Finalized says, from Finalize, that the parent may go: the runtime
	// removes its finalizer. Sync must leave it false.
	Finalized bool
}

// RequeueAt asks for another reconcile at the earliest of these times, unless RequeueAfter asks for
// an earlier one. now is [Request.Now]. It sets RequeueAfter, and to a negative time if the earliest
// time is not after now. A zero time asks for no reconcile.
func (r *Response[D, S]) RequeueAt(now time.Time, times ...time.Time) {
	for _, at := range times {
		if at.IsZero() {
			continue
		}
		after := at.Sub(now)
		if after == 0 {
			after = -1 // zero would ask for no reconcile
		}
		if r.RequeueAfter == 0 || after < r.RequeueAfter {
			r.RequeueAfter = after
		}
	}
}

// Event is a Kubernetes Event about the parent: its Type, corev1.EventTypeNormal by default, a Reason
// of one word in upper camel case, and a Message for people, of 1,000 bytes at the most.
type Event = declared.Event
