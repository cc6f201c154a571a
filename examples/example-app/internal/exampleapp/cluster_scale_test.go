package exampleapp

import (
	"fmt"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/example-app/api/v1alpha1"
)

func TestClusterAutoRemediation(t *testing.T) {
	i := start(t, nil)
	i.MakeCrashing(deployment(), 3)
	i.says("that the Pod is replaced", func(status v1alpha1.ExampleAppStatus) bool {
		return status.Remediations == 1 && status.ReadyReplicas == 1 && status.LastError != ""
	})
	i.ends()
}

// serve waits until so many Pods serve.
func (i instance) serve(replicas int32) {
	i.says(fmt.Sprintf("that %d Pods serve", replicas), func(status v1alpha1.ExampleAppStatus) bool {
		return status.Replicas == replicas && status.ReadyReplicas == replicas
	})
}

// TestClusterScaling scales as kubectl scale does, by the subresource.
func TestClusterScaling(t *testing.T) {
	i := start(t, nil)
	for _, replicas := range []int32{3, 0, 1} {
		i.Get(i.app)
		scale := &autoscalingv1.Scale{
			ObjectMeta: metav1.ObjectMeta{ResourceVersion: i.app.ResourceVersion},
			Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
		}
		err := i.Client.SubResource("scale").Update(t.Context(), i.app, client.WithSubResourceBody(scale))
		if err != nil {
			t.Fatal(err)
		}
		i.serve(replicas)
	}
	i.ends()
}

// TestClusterAutoScaling leaves the number of Pods to an autoscaler, which the test plays.
func TestClusterAutoScaling(t *testing.T) {
	i := start(t, nil)
	i.change(func(spec *v1alpha1.ExampleAppSpec) {
		spec.Autoscaling = &v1alpha1.ExampleAppAutoscaling{MinReplicas: 1, MaxReplicas: 5}
	})
	autoscaler := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	i.Exists(autoscaler)
	i.Converged(i.app)
	d, four := deployment(), int32(4)
	i.Update(d, func() { d.Spec.Replicas = &four })
	i.serve(4)
	i.Converged(i.app)

	// What the user does not want any more goes, and the number is his again.
	i.change(func(spec *v1alpha1.ExampleAppSpec) { spec.Autoscaling = nil })
	i.Gone(autoscaler)
	i.serve(1)
	i.ends()
}
