package operator_test

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Related objects may be those that another related object names. Generated code has such entries.
func ExampleRelatedKind_from() {
	type (
		Related struct {
			Clusters    operator.Snapshot[*unstructured.Unstructured]
			Credentials operator.Snapshot[*corev1.Secret]
		}
		Request  = operator.Request[*Shop, shopChildren, Related]
		Response = shopResponse
	)
	entries := func(related *Related) []operator.RelatedKind {
		return []operator.RelatedKind{
			{Object: operator.Unstructured("db.example.com/v1", "Cluster"), As: "Clusters", NameFrom: ".spec.clusterName", Fields: operator.BindRelated(&related.Clusters)},
			{Object: &corev1.Secret{}, From: "Clusters", NameFrom: ".spec.secretName", Fields: operator.BindRelated(&related.Credentials)},
		}
	}
	sync := func(_ context.Context, req *Request) (*Response, error) {
		status := ShopStatus{Phase: "Waits for its cluster"}
		for credentials := range req.Related.Credentials.All() { // none while the Cluster or the Secret is missing
			status.Phase = "Connects with " + credentials.Name
		}
		return &Response{Status: &status}, nil
	}

	fmt.Println(entries(new(Related))[1].From)
	request := &Request{Parent: tea(nil).Parent}
	for _, credentials := range [][]*corev1.Secret{nil, {{ObjectMeta: called("tea-db")}}} {
		request.Related.Credentials = operator.NewSnapshot(credentials...)
		fmt.Println(callSync(sync, request).Status.Phase)
	}
	// Output:
	// Clusters
	// Waits for its cluster
	// Connects with tea-db
}

// Related objects may be those that a child controls. Generated code has such an entry.
func ExampleRelatedKind_ofChild() {
	type (
		Related struct {
			Pods operator.Snapshot[*corev1.Pod]
		}
		Request  = operator.Request[*Shop, shopChildren, Related]
		Response = shopResponse
	)
	entry := func(related *Related) operator.RelatedKind {
		return operator.RelatedKind{
			Object: &corev1.Pod{}, Selector: "app.kubernetes.io/name=shop", Fields: operator.BindRelated(&related.Pods),
			OfChild: &operator.OfChild{Object: &appsv1.Deployment{}, Through: operator.Unstructured("apps/v1", "ReplicaSet")},
		}
	}
	sync := func(_ context.Context, req *Request) (*Response, error) {
		status := req.Parent.Status
		status.Copies = 0
		for pod := range req.Related.Pods.All() { // of both ReplicaSets, while the Deployment rolls
			if req.Related.Pods.Ready(pod.Name) && pod.Spec.Containers[0].Image == req.Parent.Spec.Image {
				status.Copies++
			}
		}
		return &Response{Status: &status}, nil
	}

	fmt.Println(entry(new(Related)).Selector)
	pod := func(name, image string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: called(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: image}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		}
	}
	request := &Request{Parent: tea(nil).Parent}
	request.Related.Pods = operator.NewSnapshot(pod("tea-1-a", "example.com/shop:0"), pod("tea-2-b", "example.com/shop:1"))
	fmt.Println(callSync(sync, request).Status.Copies, "has the new image")
	// Output:
	// app.kubernetes.io/name=shop
	// 1 has the new image
}
