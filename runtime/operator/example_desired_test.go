package operator_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A Deployment of an earlier image stays as it was desired, and is scaled down.
func ExampleSnapshot_Desired() {
	shop := tea(nil).Parent
	blue, green := deploymentOf(shop, "shop:1"), deploymentOf(shop, shop.Spec.Image)
	blue.Name, green.Name = "tea-blue", "tea-green"
	show(wanting(func(_ *Shop, req *shopRequest, want *shopDesired) {
		want.Deployments.Add(green)
		old, ok := req.Children.Deployments.Desired("tea-blue")
		if !ok {
			want.Deployments.Keep("tea-blue")
			return
		}
		old.Spec.Replicas = ptr.To[int32](0)
		want.Deployments.Add(old, operator.After(green))
	}), tea(func(req *shopRequest) { req.Children.Deployments = operator.NewSnapshot(blue, green) }))
	// Output:
	// Deployment tea-green with example.com/shop:1
	// Deployment tea-blue with shop:1, after tea-green
}

// In a test, each child was desired as it is given, unless the test says otherwise.
func ExampleSnapshot_WithDesired() {
	observed, desired := deploymentOf(tea(nil).Parent, "shop:1"), deploymentOf(tea(nil).Parent, "shop:1")
	observed.Spec.Template.Spec.SchedulerName = "default-scheduler"
	for _, of := range []operator.Snapshot[*appsv1.Deployment]{
		operator.NewSnapshot(observed), operator.NewSnapshot(observed).WithDesired(desired), operator.NewSnapshot(observed).WithDesired(),
	} {
		old, ok := of.Desired("tea")
		if !ok {
			fmt.Println("not known")
			continue
		}
		fmt.Printf("scheduler %q\n", old.Spec.Template.Spec.SchedulerName)
	}
	// Output:
	// scheduler "default-scheduler"
	// scheduler ""
	// not known
}
