package operator_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Sync is given a parent and what exists, and says what should exist, and the
// status.
func ExampleRequest() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		want.Deployments.Add(deploymentFor(shop))
		want.Services.Add(serviceFor(shop))

		status := shop.Status // what is not set below stays
		status.Phase = "Opening"
		if req.Children.Deployments.Ready(shop.Name) {
			status.Phase = "Open"
		}
		return &Response{Children: want, Status: &status}, nil
	}
	show(sync, tea(nil))
	// Output:
	// Deployment tea
	// Service tea
	// status: phase "Opening", copies 0
}

// Pods that a StatefulSet has made say by a label which of them is the primary.
func ExamplePatchSet() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		for pod := range req.Related.Members.All() {
			role := map[string]string{"role": "replica"}
			if pod.Name == req.Parent.Name+"-0" {
				role = map[string]string{"role": "primary"}
			}
			want.Patches.Members.Add(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: role}})
		}
		return &Response{Children: want}, nil
	}
	response := callSync(sync, tea(func(req *Request) {
		req.Related.Members = operator.NewSnapshot(&corev1.Pod{ObjectMeta: called("tea-0")}, &corev1.Pod{ObjectMeta: called("tea-1")})
	}))
	for pod, fields := range response.Children.Patches.Members.All() {
		fmt.Println(pod.Name, fields.Labels)
	}
	// Output:
	// tea-0 map[role:primary]
	// tea-1 map[role:replica]
}

// Related objects are deleted once the status says what became of them.
func ExampleResponse_delete() {
	type (
		Request  = shopRequest
		Response = shopResponse
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		status := req.Parent.Status
		response := &Response{Status: &status}
		for order := range req.Related.Orders.All() {
			status.Phase = "Took " + order.Name
			response.Delete = append(response.Delete, order)
		}
		return response, nil
	}
	show(sync, tea(func(req *Request) {
		req.Related.Orders = operator.NewSnapshot(&corev1.ConfigMap{ObjectMeta: called("order-7")})
	}))
	// Output:
	// children: left alone
	// deletes order-7
	// status: phase "Took order-7", copies 0
}

// Nil means leave alone: here nothing is made, and nothing is pruned, while the
// settings are missing.
func ExampleResponse() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		settings, ok := req.Related.Settings.Get(shop.Spec.Settings)
		if !ok {
			return &Response{Status: &ShopStatus{Phase: "Waiting"}}, nil
		}
		shop.Spec.Image = settings.Data["image"]
		want.Deployments.Add(deploymentFor(shop))
		return &Response{Children: want, Status: &ShopStatus{Phase: "Opening"}}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) {
		req.Parent.Spec.Settings = "tea-settings"
		req.Related.Settings = operator.NewSnapshot(&corev1.ConfigMap{ObjectMeta: called("tea-settings")})
	}))
	// Output:
	// children: left alone
	// status: phase "Waiting", copies 0
	// Deployment tea
	// status: phase "Opening", copies 0
}

// A part of the answer leaves alone what it does not mention.
func ExampleResponse_keepAll() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		want.Secrets.Add(secretFor(shop))
		if _, ok := req.Children.Secrets.Get(shop.Name); !ok {
			return &Response{Children: want, KeepAll: true}, nil // first the Secret, and then all that needs it
		}
		want.Deployments.Add(deploymentFor(shop))
		return &Response{Children: want}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) {
		req.Children.Secrets = operator.NewSnapshot(&corev1.Secret{ObjectMeta: called("tea")})
	}))
	finalize := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		backup := jobFor(shop, "backup-"+string(shop.UID))
		want.Jobs.Add(backup, operator.CreateOnly, operator.WhenDeleted(operator.Orphan))
		return &Response{Children: want, KeepAll: true, Finalized: req.Children.Jobs.Ready(backup.Name)}, nil
	}
	show(finalize, tea(nil))
	// Output:
	// Secret tea
	// all others are kept
	// Deployment tea
	// Secret tea
	// Job backup-7, CreateOnly, when deleted Orphan
	// all others are kept
}

// Time is part of the request, and RequeueAfter brings the reconcile that it is for.
func ExampleResponse_requeueAfter() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		left := shop.CreationTimestamp.Add(shop.Spec.Lifetime).Sub(req.Now)
		if left <= 0 {
			return &Response{Children: want, Status: &ShopStatus{Phase: "Closed"}}, nil
		}
		want.Deployments.Add(deploymentFor(shop))
		return &Response{Children: want, RequeueAfter: left}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) { req.Now = open.Add(2 * time.Hour) }))
	// Output:
	// Deployment tea
	// again in 58m0s
	// status: phase "Closed", copies 0
}

// The earliest of several times counts, whatever comes first in the code.
func ExampleResponse_RequeueAt() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		response := &Response{Children: want}
		if closing := shop.CreationTimestamp.Add(shop.Spec.Lifetime); req.Now.Before(closing) {
			want.Deployments.Add(deploymentFor(shop))
			response.RequeueAt(req.Now, closing)
		}
		schedule, err := req.Schedule(shop.Spec.Schedule, shop.Spec.TimeZone, shop.Status.LastRun)
		response.RequeueAt(req.Now, schedule.Next)
		return response, err
	}
	show(sync, tea(func(req *Request) { req.Parent.Spec.Schedule = "30 * * * *" }))
	show(sync, tea(func(req *Request) { req.Parent.Spec.Schedule = "30 13 * * *" }))
	show(sync, tea(func(req *Request) {
		req.Parent.Spec.Schedule = "30 * * * *"
		req.Now = open.Add(time.Hour)
	}))
	// Output:
	// Deployment tea
	// again in 28m0s
	// Deployment tea
	// again in 58m0s
	// again in 30m0s
}

// Conditions of your own are the complete set of them. Events tell people what
// no state shows.
func ExampleResponse_conditions() {
	type (
		Request  = shopRequest
		Response = shopResponse
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		stocked := metav1.Condition{Type: "Stocked", Status: metav1.ConditionFalse, Reason: "Empty", Message: "there is no tea"}
		return &Response{
			Conditions: []metav1.Condition{stocked},
			Events:     []operator.Event{{Type: corev1.EventTypeWarning, Reason: "Empty", Message: "somebody should order tea"}},
		}, nil
	}
	show(sync, tea(nil))
	// Output:
	// children: left alone
	// condition: Stocked=False Empty
	// event: Empty: somebody should order tea
}

// Labels and annotations of the parent are the complete set of those that this
// operator gives it.
func ExampleResponse_labels() {
	type (
		Request  = shopRequest
		Response = shopResponse
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		return &Response{Labels: map[string]string{"demo.example.com/owner": req.Parent.Spec.Owner}}, nil
	}
	show(sync, tea(nil))
	// Output:
	// children: left alone
	// labels: map[demo.example.com/owner:ann]
}

// An error is retried; a terminal one waits until somebody changes something.
// Neither deletes anything.
func ExampleResponse_error() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	licensed := func(_ context.Context, owner string) (bool, error) {
		if owner == "ann" {
			return false, errors.New("the register does not answer")
		}
		return owner == "eve", nil
	}
	sync := func(ctx context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		ok, err := licensed(ctx, shop.Spec.Owner)
		if err != nil {
			return nil, err // what exists stays; the next attempt comes by itself
		}
		if !ok {
			return nil, reconcile.TerminalError(fmt.Errorf("%s has no license: set spec.owner", shop.Spec.Owner))
		}
		want.Deployments.Add(deploymentFor(shop))
		return &Response{Children: want}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) { req.Parent.Spec.Owner = "bob" }))
	show(sync, tea(func(req *Request) { req.Parent.Spec.Owner = "eve" }))
	// Output:
	// children: left alone
	// error: the register does not answer
	// children: left alone
	// error: terminal error: bob has no license: set spec.owner
	// Deployment tea
}

// Finalize runs in place of Sync once the parent is being deleted, and sees its
// children: here they go one by one, the last first.
func ExampleResponse_finalized() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	finalize := func(_ context.Context, req *Request) (*Response, error) {
		left, want := req.Children.Pods.Len(), new(Desired)
		for number := range left - 1 {
			want.Pods.Add(podFor(req.Parent, number))
		}
		return &Response{Children: want, Finalized: left == 0}, nil
	}
	pods := operator.NewSnapshot(&corev1.Pod{ObjectMeta: called("tea-0")}, &corev1.Pod{ObjectMeta: called("tea-1")})
	show(finalize, tea(func(req *Request) { req.Children.Pods = pods }))
	show(finalize, tea(nil))
	// Output:
	// Pod tea-0
	// finalized
}

// A backup that cannot be made must not keep the parent for ever.
func ExampleSnapshot_Refused() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	finalize := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		backup := jobFor(shop, "backup-"+string(shop.UID))
		isOver := req.Children.Jobs.Ready(backup.Name) || req.Children.Jobs.Refused(backup.Name) != nil
		if !isOver {
			want.Jobs.Add(backup, operator.CreateOnly, operator.WhenDeleted(operator.Orphan))
		}
		return &Response{Children: want, Finalized: isOver}, nil
	}
	show(finalize, tea(nil))
	show(finalize, tea(func(req *Request) {
		refusal := errors.New("the namespace is being deleted")
		req.Children.Jobs = operator.NewSnapshot[*batchv1.Job]().Refuse("backup-7", refusal)
	}))
	// Output:
	// Job backup-7, CreateOnly, when deleted Orphan
	// finalized
}

// A ServiceMonitor is of use only where Prometheus is.
func ExampleSnapshot_Served() {
	type (
		Request  = shopRequest
		Response = shopResponse
		Desired  = shopDesired
	)
	sync := func(_ context.Context, req *Request) (*Response, error) {
		shop, want := req.Parent, new(Desired)
		want.Deployments.Add(deploymentFor(shop))
		if req.Children.ServiceMonitors.Served() {
			want.ServiceMonitors.Add(monitorFor(shop))
		}
		return &Response{Children: want}, nil
	}
	show(sync, tea(nil))
	show(sync, tea(func(req *Request) { req.Children.ServiceMonitors = req.Children.ServiceMonitors.NotServed() }))
	// Output:
	// Deployment tea
	// ServiceMonitor tea
	// Deployment tea
}
