package exampleapp

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/example-app/api/v1alpha1"
)

func TestScaling(t *testing.T) {
	l := installed(t, nil)
	three := int32(3)
	l.app.Spec.Replicas = &three
	l.sim.Converged()
	l.runs("1.0.0", 3)
	l.app.Spec.Resources = &corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
	}
	l.sim.Converged()
	d := deployment()
	if l.sim.Get(d); d.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String() != "128Mi" {
		t.Errorf("the Pods have %v", d.Spec.Template.Spec.Containers[0].Resources)
	}
}

func TestAutoScaling(t *testing.T) {
	autoscaled := newApp(t, func(app *v1alpha1.ExampleApp) {
		app.Spec.Autoscaling = &v1alpha1.ExampleAppAutoscaling{MinReplicas: 2, MaxReplicas: 5}
	})
	five, none := deployment(), deployment()
	five.Spec.Replicas, none.Spec.Replicas = new(int32), new(int32)
	*five.Spec.Replicas = 5
	for _, test := range []struct {
		observed []*appsv1.Deployment
		expected string
	}{{nil, "2"}, {[]*appsv1.Deployment{five}, "<nil>"}, {[]*appsv1.Deployment{none}, "2"}} {
		p := &plan{Request: &Request{Parent: autoscaled, Children: Children{Deployments: operator.NewSnapshot(test.observed...)}}}
		got := "<nil>"
		if replicas := p.replicas(false); replicas != nil {
			got = fmt.Sprint(*replicas)
		}
		if got != test.expected {
			t.Errorf("replicas are %s beside %v, want %s", got, test.observed, test.expected)
		}
	}
}

func TestAutoConfiguration(t *testing.T) {
	app := newApp(t, func(app *v1alpha1.ExampleApp) {
		app.Spec.Resources = &corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
		}
		app.Spec.Features = &v1alpha1.ExampleAppFeatures{ExampleFeature1: true}
	})
	settings := settingsFor(app)
	if settings["MAX_VALUE_BYTES"] != "1048576" || settings["EXAMPLE_FEATURE_1"] != "true" || settings["EXAMPLE_FEATURE_2"] != "false" {
		t.Errorf("the settings are %v", settings)
	}
	before := deploymentFor(app, "1.0.0").Spec.Template.Annotations[settingsAnnotation]
	app.Spec.Config = map[string]string{"MAX_VALUE_BYTES": "10"}
	if settings := settingsFor(app); settings["MAX_VALUE_BYTES"] != "10" {
		t.Errorf("the settings are %v, and not those of the user", settings)
	}
	if after := deploymentFor(app, "1.0.0").Spec.Template.Annotations[settingsAnnotation]; after == before {
		t.Error("other settings do not restart the Pods")
	}
}
