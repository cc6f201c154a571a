// The program upgrade is an operator that a test builds with two releases of the
// runtime: it uses only what both of them have.
package main

import (
	"context"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

type (
	children struct {
		ConfigMaps  operator.Snapshot[*corev1.ConfigMap]
		Secrets     operator.Snapshot[*corev1.Secret]
		Services    operator.Snapshot[*corev1.Service]
		Deployments operator.Snapshot[*appsv1.Deployment]
		Jobs        operator.Snapshot[*batchv1.Job]
		Pods        operator.Snapshot[*corev1.Pod]
		Widgets     operator.Snapshot[*unstructured.Unstructured]
	}
	desired struct {
		ConfigMaps  operator.DesiredSet[*corev1.ConfigMap]
		Secrets     operator.DesiredSet[*corev1.Secret]
		Services    operator.DesiredSet[*corev1.Service]
		Deployments operator.DesiredSet[*appsv1.Deployment]
		Jobs        operator.DesiredSet[*batchv1.Job]
		Pods        operator.DesiredSet[*corev1.Pod]
		Widgets     operator.DesiredSet[*unstructured.Unstructured]
	}
	request    = operator.Request[*testapi.Site, children, struct{}]
	response   = operator.Response[desired, testapi.Status]
	definition = operator.Definition[*testapi.Site, testapi.Status, children, desired, struct{}]
)

func main() { operator.Main(controllers) }

func controllers(operator.Manager) ([]operator.Controller, error) {
	d := definition{
		Name:    "site",
		Group:   testapi.Version.Group,
		Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds:   kinds,
		Status:  func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions: func(s *testapi.Status) *[]metav1.Condition {
			return &s.Conditions
		},
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		Sync:               sync,
	}
	setProject(&d, "sites")
	return []operator.Controller{operator.NewController(d)}, nil
}

// setProject names the project, which the first releases of the runtime do not know.
func setProject(d *definition, name string) {
	if field := reflect.ValueOf(d).Elem().FieldByName("Project"); field.IsValid() {
		field.SetString(name)
	}
}

func kinds(observed *children, desired *desired) []operator.ChildKind {
	return []operator.ChildKind{
		{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
		{Object: &corev1.Secret{}, Fields: operator.Bind(&observed.Secrets, &desired.Secrets)},
		{Object: &corev1.Service{}, Fields: operator.Bind(&observed.Services, &desired.Services)},
		{Object: &appsv1.Deployment{}, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
		with(operator.Recreate, operator.ChildKind{Object: &batchv1.Job{}, Fields: operator.Bind(&observed.Jobs, &desired.Jobs)}),
		with(operator.RollingRecreate, operator.ChildKind{Object: &corev1.Pod{}, Fields: operator.Bind(&observed.Pods, &desired.Pods)}),
		with(operator.InPlace, operator.ChildKind{Object: operator.Unstructured("test.opgen.dev/v1", "Widget"), Fields: operator.Bind(&observed.Widgets, &desired.Widgets)}),
	}
}

// with returns a kind with an update strategy whose children are ready once they exist. It compiles with
// the runtime of an earlier release, too, where policies and rules are fields of the kind itself.
func with(update operator.UpdateStrategy, kind operator.ChildKind) operator.ChildKind {
	kind.Update, kind.ReadyWhen = update, exists
	return kind
}

// exists is the health of what nothing in the cluster runs, so that nothing holds a roll up.
func exists(client.Object) (bool, error) { return true, nil }

func sync(_ context.Context, req *request) (*response, error) {
	name, text := req.Parent.Name, req.Parent.Spec.Text
	metadata := metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
	selector := map[string]string{"app": name}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: selector}, Spec: podSpec()}
	want := new(desired)
	want.ConfigMaps.Add(&corev1.ConfigMap{ObjectMeta: metadata, Data: map[string]string{"text": text, "empty": ""}})
	for _, strategy := range []operator.UpdateStrategy{operator.OnDelete, operator.CreateOnly, operator.RollingInPlace} {
		settings := &corev1.ConfigMap{ObjectMeta: metadata, Data: map[string]string{"key": "value"}}
		settings.Name += "-" + strings.ToLower(string(strategy))
		want.ConfigMaps.Add(settings, strategy)
	}
	want.Secrets.Add(&corev1.Secret{ObjectMeta: metadata, StringData: map[string]string{"password": "secret"}})
	want.Services.Add(&corev1.Service{ObjectMeta: metadata, Spec: corev1.ServiceSpec{
		ClusterIP: corev1.ClusterIPNone, Selector: selector, Ports: []corev1.ServicePort{{Name: "http", Port: 80}},
	}})
	want.Deployments.Add(&appsv1.Deployment{ObjectMeta: metadata, Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: selector}, Template: template,
	}})
	job := corev1.PodTemplateSpec{Spec: podSpec()}
	job.Spec.RestartPolicy = corev1.RestartPolicyNever
	want.Jobs.Add(&batchv1.Job{ObjectMeta: metadata, Spec: batchv1.JobSpec{Suspend: ptr.To(true), Template: job}})
	want.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec()}, operator.Recreate)
	for _, number := range []string{"-0", "-1"} {
		want.Pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name + number}, Spec: podSpec()})
	}
	widget := operator.Unstructured("test.opgen.dev/v1", "Widget")
	widget.SetName(name)
	widget.Object["spec"] = map[string]any{"tree": map[string]any{text: "is desired", "ratio": 0.5, "list": []any{"one", map[string]any{}}, "empty": map[string]any{}}}
	want.Widgets.Add(widget)
	return &response{Children: want, Status: &testapi.Status{Phase: text}}, nil
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "web:1", Ports: []corev1.ContainerPort{{ContainerPort: 80}}}},
		Volumes:    []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}
}
