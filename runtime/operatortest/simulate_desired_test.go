package operatortest_test

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Sync changes a part of what it desired before. What others set in the Deployment, and a child that it
// never desired, are no part of that.
func TestSimulationKnowsWhatWasDesired(t *testing.T) {
	sync := func(_ context.Context, req *partsRequest) (*partsResponse, error) {
		want := new(desiredParts)
		old, ok := req.Children.Deployments.Desired("web")
		if !ok {
			old = named(&appsv1.Deployment{})
			old.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: req.Parent.Spec.Text}}
		}
		old.Spec.Replicas = ptr.To(int32(len(req.Parent.Spec.Text)))
		want.Deployments.Add(old)
		return &partsResponse{Children: want}, nil
	}
	for name, controller := range map[string][]operator.Controller{"without": nil, "with": {partsController(sync)}} {
		t.Run(name, func(t *testing.T) {
			sim := operatortest.Simulate(t, sync, newLedger(), controller...)
			sim.Step()
			web := named(&appsv1.Deployment{})
			sim.Update(web, func() { web.Spec.Paused = true })
			sim.Parent.Spec.Text = "three"
			response := sim.Step()
			desired, _ := response.Children.Deployments.Get("web")
			if image := desired.Spec.Template.Spec.Containers[0].Image; image != "one" || *desired.Spec.Replicas != 5 || desired.Spec.Paused {
				t.Errorf("what was desired is %+v", desired.Spec)
			}
			if sim.Get(web); *web.Spec.Replicas != 5 || !web.Spec.Paused {
				t.Errorf("the Deployment is %+v", web.Spec)
			}
			other := named(&appsv1.Deployment{}, "other")
			sim.Create(other)
			if _, ok := sim.Request().Children.Deployments.Desired("other"); ok {
				t.Error("it is known what was desired of a Deployment that Sync never desired")
			}
		})
	}
}

// Without keepDesired in the spec file, Sync panics in a simulation as it does in the operator.
func TestSimulationNeedsTheKey(t *testing.T) {
	sim := operatortest.Simulate(t, desireParts(), newLedger(), partsController(desireParts()))
	defer func() {
		if recover() == nil {
			t.Error("it does not panic")
		}
	}()
	sim.Request().Children.Pods.Desired("web")
}
