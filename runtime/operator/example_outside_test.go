package operator_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// till is a Pod, as one finds it in the network. A new Pod of the same name is another one.
type till struct {
	UID types.UID
	IP  string
}

func askRole(context.Context, till) (string, error) { return "", nil }

// Reconciler stands for the one of a project.
type Reconciler struct {
	Roles *operator.Poller[till, string]
}

// Controller stands for the function that is generated for a project.
func Controller(*Reconciler) operator.Controller { return operator.Controller{} }

// Which of the Pods is the primary, no watch shows. The poller asks them, and Sync reads the answers. A
// test puts them in their place.
func ExamplePoller() {
	type (
		Request  = shopRequest
		Response = shopResponse
	)
	roles := operator.NewPoller(5*time.Second, askRole)
	r := &Reconciler{Roles: roles}
	controller := operator.WithTriggers(Controller(r), roles)
	_ = controller // which New returns

	sync := func(_ context.Context, req *Request) (*Response, error) {
		status := ShopStatus{Phase: "No primary"}
		var tills []till
		for pod := range req.Children.Pods.All() {
			tills = append(tills, till{pod.UID, pod.Status.PodIP})
		}
		roles := r.Roles.Answers(req.Parent, tills...)
		for pod := range req.Children.Pods.All() {
			role := roles[till{pod.UID, pod.Status.PodIP}]
			if role.Value == "primary" && role.IsFresh(req.Now, 15*time.Second) {
				status.Phase = pod.Name + " is the primary"
			}
		}
		return &Response{Status: &status}, nil
	}

	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "town", Name: "tea-0", UID: "1"}, Status: corev1.PodStatus{PodIP: "10.0.0.1"}}
	request := tea(func(req *Request) { req.Children.Pods = operator.NewSnapshot(pod) })
	show(sync, request)
	r.Roles.Put(till{"1", "10.0.0.1"}, "primary", request.Now)
	show(sync, request)
	request.Now = request.Now.Add(time.Minute) // the answer is old
	show(sync, request)
	// Output:
	// children: left alone
	// status: phase "No primary", copies 0
	// children: left alone
	// status: phase "tea-0 is the primary", copies 0
	// children: left alone
	// status: phase "No primary", copies 0
}

// hook stands for a server that others call when they have failed over.
type hook struct {
	onFailover func(namespace, name string)
}

func (hook) Start(context.Context) error { return nil }

func ExampleTrigger() {
	New := func(mgr operator.Manager) (operator.Controller, error) {
		failover := new(operator.Trigger)
		err := mgr.Add(hook{onFailover: func(namespace, name string) {
			failover.Reconcile(types.NamespacedName{Namespace: namespace, Name: name})
		}})
		return operator.WithTriggers(Controller(&Reconciler{}), failover), err
	}
	fmt.Println(New != nil)
	// Output: true
}
