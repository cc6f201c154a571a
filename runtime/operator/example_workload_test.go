package operator_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A workload with data: the claim, the workers and how they go.
func Example_workload() {
	// addClaim adds the claim of a workload: it grows, never shrinks, and stays with its data unless the user says otherwise.
	addClaim := func(req *shopRequest, want *shopDesired) {
		shop := req.Parent
		size := shop.Spec.Storage
		if claim, ok := req.Children.PersistentVolumeClaims.Get(shop.Name); ok {
			has := claim.Spec.Resources.Requests[corev1.ResourceStorage]
			if has.Cmp(size) > 0 || shop.DeletionTimestamp != nil {
				size = has // it cannot shrink, and a shop that goes needs no more
			}
		}
		claim := claimFor(shop)
		claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: size}
		policy := operator.WhenDeleted(operator.Orphan)
		if shop.Spec.DeleteData {
			policy = operator.WhenDeleted(operator.Delete)
		}
		want.PersistentVolumeClaims.Add(claim, policy)
	}
	// addWorkers adds the workers, which a user or an autoscaler scales, and which pause.
	addWorkers := func(req *shopRequest, want *shopDesired) {
		shop, server := req.Parent, podFor(req.Parent, 0)
		want.Pods.Add(server)
		deployment := deploymentFor(shop)
		workers, exist := req.Children.Deployments.Get(shop.Name)
		switch {
		case shop.Spec.Paused:
			deployment.Spec.Replicas = ptr.To[int32](0)
		case shop.Spec.MaxReplicas > 0:
			want.Autoscalers.Add(autoscalerFor(shop))
			if exist && ptr.Deref(workers.Spec.Replicas, 1) > 0 {
				deployment.Spec.Replicas = nil // the autoscaler's, which never scales from 0
			}
		}
		want.Deployments.Add(deployment, operator.CreateAfter(server))
	}
	// drain is a Finalize that has the workers end before the server goes, for a minute at most.
	drain := func(_ context.Context, req *shopRequest) (*shopResponse, error) {
		shop, want := req.Parent, new(shopDesired)
		addClaim(req, want)
		response := &shopResponse{Children: want}
		workers, exist := req.Children.Deployments.Get(shop.Name)
		isScaled := !exist || workers.Status.ObservedGeneration >= workers.Generation &&
			ptr.Deref(workers.Spec.Replicas, 1) == 0 && workers.Status.Replicas == 0
		isDrained := isScaled && req.Related.Members.Len() == 0
		deadline := shop.DeletionTimestamp.Add(time.Minute)
		if isDrained || !req.Now.Before(deadline) {
			response.Finalized = true // the rest goes in the order of teardown: ordered
			return response, nil
		}
		for server := range req.Children.Pods.All() {
			want.Pods.Keep(server.Name)
		}
		deployment := deploymentFor(shop)
		deployment.Spec.Replicas = ptr.To[int32](0)
		want.Deployments.Add(deployment)
		response.RequeueAt(req.Now, deadline)
		return response, nil
	}

	claim, workers := claimFor(&Shop{ObjectMeta: called("tea")}), deploymentFor(&Shop{ObjectMeta: called("tea")})
	claim.Namespace, workers.Namespace = "town", "town"
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
	workers.Spec.Replicas = ptr.To[int32](3)
	given := func(change func(*shopRequest)) *shopRequest {
		return tea(func(req *shopRequest) {
			req.Parent.Spec.Storage = resource.MustParse("1Gi")
			req.Children.PersistentVolumeClaims = operator.NewSnapshot(claim)
			req.Children.Deployments = operator.NewSnapshot(workers)
			change(req)
		})
	}
	sync := func(name string, change func(*shopRequest)) {
		req, want := given(change), new(shopDesired)
		addClaim(req, want)
		addWorkers(req, want)
		size, replicas := "", "the autoscaler's"
		for child := range want.PersistentVolumeClaims.All() {
			size = child.Spec.Resources.Requests.Storage().String()
		}
		for child := range want.Deployments.All() {
			if child.Spec.Replicas != nil {
				replicas = fmt.Sprint(*child.Spec.Replicas)
			}
		}
		fmt.Printf("%s: claim %s, replicas %s, %d autoscalers\n", name, size, replicas, want.Autoscalers.Len())
	}
	sync("a smaller size", func(*shopRequest) {})
	sync("a larger size", func(req *shopRequest) { req.Parent.Spec.Storage = resource.MustParse("5Gi") })
	sync("scaled automatically", func(req *shopRequest) { req.Parent.Spec.MaxReplicas = 9 })
	sync("paused", func(req *shopRequest) { req.Parent.Spec.MaxReplicas, req.Parent.Spec.Paused = 9, true })
	sync("after the pause", func(req *shopRequest) {
		idle := workers.DeepCopy()
		idle.Spec.Replicas = ptr.To[int32](0)
		req.Parent.Spec.MaxReplicas, req.Children.Deployments = 9, operator.NewSnapshot(idle)
	})
	leaving := func(name string, after time.Duration, change func(*shopRequest)) {
		response := callSync(drain, given(func(req *shopRequest) {
			req.Parent.DeletionTimestamp = &metav1.Time{Time: open}
			req.Now = open.Add(after)
			change(req)
		}))
		fmt.Printf("%s: finalized %t, requeue after %s\n", name, response.Finalized, response.RequeueAfter)
	}
	leaving("workers end", 10*time.Second, func(*shopRequest) {})
	leaving("they do not", time.Minute, func(*shopRequest) {})
	leaving("they have ended", 10*time.Second, func(req *shopRequest) {
		req.Children.Deployments = operator.NewSnapshot[*appsv1.Deployment]()
	})
	// Output:
	// a smaller size: claim 2Gi, replicas 2, 0 autoscalers
	// a larger size: claim 5Gi, replicas 2, 0 autoscalers
	// scaled automatically: claim 2Gi, replicas the autoscaler's, 1 autoscalers
	// paused: claim 2Gi, replicas 0, 0 autoscalers
	// after the pause: claim 2Gi, replicas 2, 1 autoscalers
	// workers end: finalized false, requeue after 50s
	// they do not: finalized true, requeue after 0s
	// they have ended: finalized true, requeue after 0s
}
