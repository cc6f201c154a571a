package operatortest_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestDiffSubset(t *testing.T) {
	got := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web", "other": "x"}},
		Spec: corev1.PodSpec{
			NodeName: "node",
			Containers: []corev1.Container{
				{Name: "sidecar", Image: "sidecar:1"},
				{Name: "main", Image: "main:1", Args: []string{"-v", "-x"}, Ports: []corev1.ContainerPort{{ContainerPort: 80, Protocol: "TCP"}},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1")}}},
			},
		},
	}
	of := func(spec corev1.PodSpec) client.Object { return &corev1.Pod{Spec: spec} }
	main := func(c corev1.Container) client.Object {
		c.Name = "main"
		return of(corev1.PodSpec{Containers: []corev1.Container{c}})
	}
	for name, test := range map[string]struct {
		expected client.Object
		want     string
	}{
		"nothing":       {&corev1.Pod{}, ""},
		"a label":       {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}, ""},
		"another label": {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"example.com/app": "web"}}}, "metadata.labels[\"example.com/app\"]:\n  - \"web\"\n"},
		"a list by key": {main(corev1.Container{Image: "main:1"}), ""},
		"of an item":    {main(corev1.Container{Image: "main:2"}), "spec.containers[main].image:\n  - \"main:2\"\n  + \"main:1\"\n"},
		"no such item": {of(corev1.PodSpec{Containers: []corev1.Container{{Name: "third"}}}),
			"spec.containers[third]:\n  - {\"name\":\"third\"}\n"},
		"by a port":          {main(corev1.Container{Ports: []corev1.ContainerPort{{ContainerPort: 80}}}), ""},
		"plain values":       {main(corev1.Container{Args: []string{"-v", "-x"}}), ""},
		"fewer plain values": {main(corev1.Container{Args: []string{"-v"}}), "spec.containers[main].args:\n  - [\"-v\"]\n  + [\"-v\",\"-x\"]\n"},
		"a quantity": {&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
			"name": "main", "resources": map[string]any{"limits": map[string]any{"cpu": "1000m"}}}}}}}, ""},
		"another quantity": {main(corev1.Container{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("2")}}}),
			"spec.containers[main].resources.limits.cpu:\n  - \"2\"\n  + \"1\"\n"},
		"an untyped zero is set": {&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"nodeName": ""}}},
			"spec.nodeName:\n  - \"\"\n  + \"node\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := operatortest.DiffSubset(test.expected, got); diff != test.want {
				t.Errorf("got:\n%swant:\n%s", diff, test.want)
			}
		})
	}
}

func TestDiffSubsetTakesAPointerToZeroForSet(t *testing.T) {
	three := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](3)}}
	if diff := operatortest.DiffSubset(new(appsv1.Deployment), three); diff != "" {
		t.Errorf("differs from nil by:\n%s", diff)
	}
	none := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32)}}
	if diff := operatortest.DiffSubset(none, three); diff != "spec.replicas:\n  - 0\n  + 3\n" {
		t.Errorf("differs from zero by:\n%s", diff)
	}
}
