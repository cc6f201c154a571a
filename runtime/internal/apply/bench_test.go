package apply

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// typicalConfigMap and the functions below return typical children. testdata has what an API server
// made of them.
func typicalConfigMap() client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "echo", Labels: map[string]string{"app": "echo"}},
		Data: map[string]string{"text": "hello", "mode": "Plain"}}
}

func typicalService() client.Object {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "echo", Labels: map[string]string{"app": "echo"}}, Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "echo"},
		Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
	}}
}

func typicalDeployment() client.Object {
	replicas := int32(2)
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "echo", Labels: map[string]string{"app": "echo"}}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas,
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "echo"}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "echo"}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "echo", Image: "echo:1", Args: []string{"--port=8080"},
				Env: []corev1.EnvVar{
					{Name: "TEXT", Value: "hello"},
					{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
				},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("64Mi")},
				},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("http")}}},
			}}},
		},
	}}
}

var typical = []struct {
	name string
	make func() client.Object
}{
	{"ConfigMap", typicalConfigMap},
	{"Service", typicalService},
	{"Deployment", typicalDeployment},
}

const parentUID = types.UID("01234567-89ab-cdef-0123-456789abcdef")

// typicalDesired returns the desired state that a reconcile makes of a child.
func typicalDesired(b testing.TB, object client.Object) Desired {
	content, err := Canonical(object)
	if err != nil {
		b.Fatal(err)
	}
	content["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": string(parentUID), "controller": true, "blockOwnerDeletion": true,
	}}
	gvk, err := apiutil.GVKForObject(object, clientgoscheme.Scheme)
	if err != nil {
		b.Fatal(err)
	}
	d, err := NewDesired(Desired{
		Kind: gvk, Name: types.NamespacedName{Namespace: "default", Name: object.GetName()}, Owner: parentUID,
		Policies: declared.Policies{Update: declared.InPlace}, HashKey: "example.com/desired-hash",
	}, content)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// typicalLive is what the API server made of a child.
func typicalLive(b testing.TB, name string, object client.Object) client.Object {
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(data, object); err != nil {
		b.Fatal(err)
	}
	return object
}

// measure runs a benchmark and reports the process's CPU time, which does not
// depend on what else the machine does.
func measure(b *testing.B, run func()) {
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func BenchmarkUnchanged(b *testing.B) {
	for _, kind := range typical {
		b.Run(kind.name, func(b *testing.B) {
			object, live, state := kind.make(), typicalLive(b, kind.name, kind.make()), new(AppliedState)
			if err := offline.newApply(time.Now(), state, typicalDesired(b, object)).recordApplied(live); err != nil {
				b.Fatal(err)
			}
			measure(b, func() {
				if v, err := offline.newApply(time.Now(), state, typicalDesired(b, object)).compareLive(live); v != inSync || err != nil {
					b.Fatal(v, err)
				}
			})
		})
	}
}

func BenchmarkOthersChange(b *testing.B) {
	for _, kind := range typical {
		b.Run(kind.name, func(b *testing.B) {
			object, live, state := kind.make(), typicalLive(b, kind.name, kind.make()), new(AppliedState)
			if err := offline.newApply(time.Now(), state, typicalDesired(b, object)).recordApplied(live); err != nil {
				b.Fatal(err)
			}
			versions, i := []string{"1", "2"}, 0
			measure(b, func() {
				i = 1 - i
				live.SetResourceVersion(versions[i])
				if v, err := offline.newApply(time.Now(), state, typicalDesired(b, object)).compareLive(live); v != inSync || err != nil {
					b.Fatal(v, err)
				}
			})
		})
	}
}

func BenchmarkRestart(b *testing.B) {
	for _, kind := range typical {
		b.Run(kind.name, func(b *testing.B) {
			object, live := kind.make(), typicalLive(b, kind.name, kind.make())
			measure(b, func() {
				if _, err := offline.newApply(time.Now(), new(AppliedState), typicalDesired(b, object)).compareLive(live); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkCreation(b *testing.B) {
	for _, kind := range typical {
		b.Run(kind.name, func(b *testing.B) {
			object, live := kind.make(), typicalLive(b, kind.name, kind.make())
			measure(b, func() {
				d := typicalDesired(b, object)
				if _, err := d.patchBody("resourceVersion", "1"); err != nil {
					b.Fatal(err)
				}
				if err := offline.newApply(time.Now(), new(AppliedState), d).recordApplied(live); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkChange changes one value of a child that was created and never applied.
func BenchmarkChange(b *testing.B) {
	object := typicalDeployment().(*appsv1.Deployment)
	live, state := typicalLive(b, "Deployment", typicalDeployment()), new(AppliedState)
	entries := live.GetManagedFields()
	entries[0].Operation = metav1.ManagedFieldsOperationUpdate
	live.SetManagedFields(entries)
	if err := offline.newApply(time.Now(), state, typicalDesired(b, object)).recordApplied(live); err != nil {
		b.Fatal(err)
	}
	object.Spec.Template.Spec.Containers[0].Image = "echo:2"
	changed := typicalDesired(b, object)
	measure(b, func() {
		if steps, ok := offline.newApply(time.Now(), state, changed).valuePatch(live); !ok || len(steps) != 3 {
			b.Fatal(steps)
		}
	})
}
