package explore

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// creator is the field manager of the objects here.
const creator = "creator"

// writable is an object at an API server, with what was desired of it and its schema.
type writable struct {
	*instance.Operator
	desired map[string]any
	live    *unstructured.Unstructured
	kind    *schemas.Kind
}

func created(t *testing.T, object client.Object, kind string) *writable {
	t.Helper()
	c := instance.New(t, instance.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil }})
	c.Run()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	version := schemaVersionOf(kind)
	content["apiVersion"], content["kind"] = version, kind
	delete(content, "status")
	metadata := content["metadata"].(map[string]any)
	metadata["name"], metadata["namespace"] = "web", c.Namespace
	delete(metadata, "creationTimestamp")
	w := &writable{Operator: c, desired: content, live: &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}}
	if err := c.Client.Create(t.Context(), w.live, client.FieldOwner(creator)); err != nil {
		t.Fatal(err)
	}
	known, err := schemas.New(c.Server)
	if err != nil {
		t.Fatal(err)
	}
	if w.kind, err = known.Kind(w.live.GroupVersionKind()); err != nil {
		t.Fatal(err)
	}
	return w
}

func schemaVersionOf(kind string) string {
	if kind == "Deployment" {
		return "apps/v1"
	}
	return "v1"
}

func webDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "main", Image: "web:1", Args: []string{"a", "b"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}},
			}}},
		}},
	}
}

func TestMutationsCoverEachDesiredPath(t *testing.T) {
	t.Parallel()
	w := created(t, webDeployment(), "Deployment")
	var names []string
	for _, m := range mutationsOf(w.desired, w.kind.Schema) {
		names = append(names, m.name())
	}
	main := "spec.template.spec.containers[main]"
	for _, name := range []string{
		"spec.replicas: change", "metadata.labels.app: change", "metadata.labels: extend", "metadata.labels: empty",
		main + ".image: change", main + ".image: remove", main + ".image: empty", main + ": remove", main + ".name: change key",
		main + ".args: reorder", main + ".args: extend", main + ".args[0]: change",
		main + ".env: reorder items", main + ".env[A].value: change",
		main + ".ports[80,TCP].containerPort: change key", main + ".ports[53,UDP]: remove",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("no mutation %q in %q", name, names)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a mutation is there twice: %q", names)
	}
}

func TestEachWayWritesTheSameMutation(t *testing.T) {
	t.Parallel()
	w := created(t, webDeployment(), "Deployment")
	by := writer{client: w.Client, manager: creator}
	at := "spec.template.spec.containers[main].image: change"
	for _, way := range ways {
		m := mutationNamed(t, mutationsOf(w.desired, w.kind.Schema), at)
		before, _ := m.at.Get(w.live.Object)
		written, err := by.write(t.Context(), way, m, w.live, w.kind)
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		after, _ := m.at.Get(written.Object)
		env, _, _ := unstructured.NestedSlice(written.Object, "spec", "template", "spec", "containers")
		if before == after || len(env) != 1 {
			t.Errorf("%s: the image was %v and is %v, of containers %v", way, before, after, env)
		}
		if err := w.Client.Delete(t.Context(), written); err != nil {
			t.Fatal(err)
		}
		w.live = &unstructured.Unstructured{Object: runtime.DeepCopyJSON(w.desired)}
		w.Eventually("it is created again", func() error {
			w.live.SetResourceVersion("")
			return w.Client.Create(t.Context(), w.live, client.FieldOwner(creator))
		})
	}
}

func TestWriteTriesValuesUntilOneIsValid(t *testing.T) {
	t.Parallel()
	w := created(t, &corev1.Service{Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
	}}, "Service")
	m := mutationNamed(t, mutationsOf(w.desired, w.kind.Schema), "spec.type: change")
	written, err := writer{client: w.Client, manager: creator}.write(t.Context(), put, m, w.live, w.kind)
	if err != nil {
		t.Fatal(err)
	}
	if kind, _ := m.at.Get(written.Object); kind == "NodePort" || kind == "" {
		t.Errorf("the type is %v", kind)
	}
	m = mutationNamed(t, mutationsOf(w.desired, w.kind.Schema), "spec.ports[80,TCP]: remove")
	if _, err := (writer{client: w.Client, manager: creator}).write(t.Context(), put, m, w.live, w.kind); err == nil {
		t.Error("a Service without ports was written")
	}
}

func mutationNamed(t *testing.T, all []alteration, name string) alteration {
	t.Helper()
	i := slices.IndexFunc(all, func(m alteration) bool { return m.name() == name })
	if i < 0 {
		t.Fatalf("no mutation %q", name)
	}
	return all[i]
}
