// Package podterminator deletes Pods at random, so that what runs in them is known to bear it.
package podterminator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"

	chaosv1alpha1 "example.com/pod-terminator/api/v1alpha1"
)

// Reconciler terminates Pods. They are not its children, so it deletes them itself.
type Reconciler struct {
	pods    client.Writer
	live    client.Reader                    // reads past the cache
	shuffle func(n int, swap func(i, j int)) // chance; tests take it out
}

// New makes the controller when the operator starts.
func New(mgr operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{pods: mgr.GetClient(), live: mgr.GetAPIReader(), shuffle: rand.Shuffle}), nil
}

// Sync takes two reconciles for a run. The first one writes the Pods that it has chosen into the status. The second
// one deletes exactly these, and may be repeated: when the operator stops in between, it goes on with the Pods that the
// status names, and chooses no others. The first one's write to the status causes the second, which sees the parent at
// least as new as that, so that a spec which has changed in time still calls the run off.
func (r *Reconciler) Sync(ctx context.Context, req *Request) (*Response, error) {
	terminator, status := req.Parent, req.Parent.Status.DeepCopy()
	response := &Response{Status: status}
	switch {
	case status.Generation != terminator.Generation || status.NextRun == nil: // the spec is new
		status.Generation, status.NextRun = terminator.Generation, nextRun(req)
		if pending(status.LastRun) {
			status.LastRun = nil
		}
	case pending(status.LastRun):
		if err := r.terminate(ctx, req, status.LastRun); err != nil {
			return nil, err
		}
		if !status.LastRun.DryRun {
			status.Terminated += int64(len(status.LastRun.Pods))
		}
		response.Events = []operator.Event{eventOf(status.LastRun)}
	case !req.Now.Before(status.NextRun.Time):
		if isCurrent, err := r.isCurrent(ctx, terminator); !isCurrent {
			return &Response{RequeueAfter: time.Second}, err
		}
		status.LastRun, status.NextRun = r.choose(req), nextRun(req)
	}
	response.RequeueAt(req.Now, status.NextRun.Time)
	return response, nil
}

// Finalize has nothing to clean up. That it exists makes a deletion wait for the reconcile that is running: once kubectl
// delete has returned, nothing is terminated any more.
func (r *Reconciler) Finalize(_ context.Context, req *Request) (*Response, error) {
	message := fmt.Sprintf("terminated %d Pods in all", req.Parent.Status.Terminated)
	return &Response{Finalized: true, Events: []operator.Event{{Reason: "Stopped", Message: message}}}, nil
}

// nextRun is when the period ends that begins now.
func nextRun(req *Request) *metav1.Time {
	period := time.Duration(req.Parent.Spec.PeriodSeconds) * time.Second
	return &metav1.Time{Time: req.Now.Add(period)}
}

// isCurrent reports whether the parent is as the API server has it. A replica that has just become the leader may not have
// seen yet what the one before has run.
func (r *Reconciler) isCurrent(ctx context.Context, seen *chaosv1alpha1.PodTerminator) (bool, error) {
	live := new(chaosv1alpha1.PodTerminator)
	err := r.live.Get(ctx, client.ObjectKeyFromObject(seen), live)
	return err == nil && live.ResourceVersion == seen.ResourceVersion, client.IgnoreNotFound(err)
}
