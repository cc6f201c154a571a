// Package catset runs the Pods of every CatSet: one for each ordinal, made from the lowest to the highest and taken away
// from the highest to the lowest, with claims that stay.
package catset

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Reconciler runs CatSets.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants the Pods of all ordinals below spec.replicas, and their claims. A Pod is made when its claims are there and
// the Pod before it is ready. A changed template reaches the Pods in the order in which they are added here.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	set, want := req.Parent, new(Desired)
	pods := podsOf(set)
	surplus, update := above(req, len(pods)), operator.RollingRecreate
	if len(surplus) > 0 && allReady(req, pods) {
		surplus = surplus[:len(surplus)-1] // the highest goes
		update = operator.OnDelete         // and no other one: a roll goes on after that
	}
	want.Pods.Keep(surplus...)
	for ordinal, pod := range slices.Backward(pods) {
		var before []client.Object
		for _, claim := range claimsOf(set, ordinal) {
			want.Claims.Add(claim)
			before = append(before, claim)
		}
		if ordinal > 0 {
			before = append(before, pods[ordinal-1])
		}
		want.Pods.Add(pod, update, operator.After(before...), operator.RecreateIf(hasFailed(req, pod.Name)))
	}
	return &Response{Children: want, Status: statusOf(req)}, nil
}

// Finalize keeps all Pods but the highest, again and again until there is none.
func (r *Reconciler) Finalize(_ context.Context, req *Request) (*Response, error) {
	want, left := new(Desired), above(req, 0)
	if len(left) == 0 {
		return &Response{Children: want, Finalized: true}, nil
	}
	want.Pods.Keep(left[:len(left)-1]...)
	return &Response{Children: want, Status: statusOf(req)}, nil
}

// allReady reports whether every one of these Pods exists and is ready.
func allReady(req *Request, pods []*corev1.Pod) bool {
	return !slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return !req.Children.Pods.Ready(pod.Name) })
}

// hasFailed reports whether a Pod has failed for good, such as an evicted one. A node may refuse one after the other; the
// runtime recreates them less and less often then.
func hasFailed(req *Request, name string) bool {
	pod, ok := req.Children.Pods.Get(name)
	return ok && pod.Status.Phase == corev1.PodFailed
}
