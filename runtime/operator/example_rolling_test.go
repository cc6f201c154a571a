package operator_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Users of the shop say how many of its Pods may be down during an update.
func ExampleDesiredSet_SetMaxUnavailable() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		want.Pods.SetMaxUnavailable(shop.Spec.MaxUnavailable)
		for number := range int(shop.Spec.Replicas) {
			want.Pods.Add(podFor(shop, number), operator.RollingRecreate)
		}
		fmt.Println("at most", want.Pods.MaxUnavailable(), "of them")
	}), tea(func(req *shopRequest) { req.Parent.Spec.MaxUnavailable = intstr.FromString("25%") }))
	// Output:
	// at most 25% of them
	// Pod tea-0, RollingRecreate
	// Pod tea-1, RollingRecreate
}

// The Pods below the partition keep their version, as those of a StatefulSet.
func Example_partition() {
	show(wanting(func(shop *Shop, _ *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			update := operator.RollingRecreate
			if number < int(shop.Spec.Partition) {
				update = operator.OnDelete // it keeps its version
			}
			want.Pods.Add(podFor(shop, number), update)
		}
	}), tea(func(req *shopRequest) { req.Parent.Spec.Replicas, req.Parent.Spec.Partition = 3, 2 }))
	// Output:
	// Pod tea-0, OnDelete
	// Pod tea-1, OnDelete
	// Pod tea-2, RollingRecreate
}

// The primary is updated after the replicas.
func ExampleUpdateLast() {
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			pod := podFor(shop, number)
			isPrimary := pod.Name == req.Parent.Status.Primary
			want.Pods.Add(pod, operator.RollingRecreate, operator.UpdateLast(isPrimary))
		}
	}), tea(func(req *shopRequest) { req.Parent.Status.Primary = "tea-0" }))
	// Output:
	// Pod tea-0, RollingRecreate, updated last
	// Pod tea-1, RollingRecreate
}

// The primary is updated once another Pod has taken over.
func ExampleUpdateIf() {
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			pod := podFor(shop, number)
			isPrimary := pod.Name == req.Parent.Status.Primary
			want.Pods.Add(pod, operator.RollingRecreate, operator.UpdateIf(!isPrimary, "is the primary"))
		}
	}), tea(func(req *shopRequest) { req.Parent.Status.Primary = "tea-0" }))
	// Output:
	// Pod tea-0, RollingRecreate, not updated: is the primary
	// Pod tea-1, RollingRecreate
}

// The label by which a Service selects the primary moves at once, and the template in its turn.
func ExampleUpdateInPlace() {
	show(wanting(func(shop *Shop, req *shopRequest, want *shopDesired) {
		for number := range int(shop.Spec.Replicas) {
			pod := podFor(shop, number)
			pod.Labels = map[string]string{"role": "replica"}
			if pod.Name == req.Parent.Status.Primary {
				pod.Labels["role"] = "primary"
			}
			want.Pods.Add(pod, operator.RollingRecreate, operator.UpdateInPlace(".metadata.labels.role"))
		}
	}), tea(func(req *shopRequest) { req.Parent.Status.Primary = "tea-0" }))
	// Output:
	// Pod tea-0, RollingRecreate, in place .metadata.labels.role
	// Pod tea-1, RollingRecreate, in place .metadata.labels.role
}
