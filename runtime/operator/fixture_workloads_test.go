package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	workloadChildren struct {
		Deployments operator.Snapshot[*appsv1.Deployment]
		ConfigMaps  operator.Snapshot[*corev1.ConfigMap]
		Widgets     operator.Snapshot[*unstructured.Unstructured]
	}
	workloadDesired struct {
		Deployments operator.DesiredSet[*appsv1.Deployment]
		ConfigMaps  operator.DesiredSet[*corev1.ConfigMap]
		Widgets     operator.DesiredSet[*unstructured.Unstructured]
	}
	workloadRequest  = operator.Request[*testapi.Site, workloadChildren, struct{}]
	workloadResponse = operator.Response[workloadDesired, testapi.Status]
	workloadFunction = func(*workloadRequest, *workloadDesired)
)

// workloads is an operator whose children are Deployments, ConfigMaps and Widgets.
type workloads struct {
	*operatortest.Cluster
	t          *testing.T
	site       *testapi.Site
	desires    atomic.Pointer[workloadFunction]
	edits      int
	deployment *appsv1.Deployment // as it was read last
}

// startWorkloads runs the operator for a Site that desires what the function adds. change completes
// the kind of Deployments; nil: it is as it is.
func startWorkloads(t *testing.T, change func(*operator.ChildKind), desires workloadFunction) *workloads {
	t.Helper()
	t.Parallel()
	w := &workloads{t: t, site: site("web"), deployment: named(&appsv1.Deployment{}, "web")}
	w.desires.Store(&desires)
	w.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, workloadChildren, workloadDesired, struct{}]{
				Name:    "site",
				Group:   testapi.Version.Group,
				Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
				Kinds: func(observed *workloadChildren, desired *workloadDesired) []operator.ChildKind {
					kinds := []operator.ChildKind{
						{Object: &appsv1.Deployment{}, Rules: operator.Rules{ReadyWhen: exists}, Fields: operator.Bind(&observed.Deployments, &desired.Deployments)},
						{Object: &corev1.ConfigMap{}, Fields: operator.Bind(&observed.ConfigMaps, &desired.ConfigMaps)},
						{Object: operator.Unstructured("test.opgen.dev/v1", "Widget"), Rules: operator.Rules{ReadyWhen: exists}, Fields: operator.Bind(&observed.Widgets, &desired.Widgets)},
					}
					if change != nil {
						change(&kinds[0])
					}
					return kinds
				},
				Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
				Sync:               w.sync,
			})}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	w.Create(w.site)
	w.ready()
	return w
}

func (w *workloads) sync(_ context.Context, req *workloadRequest) (*workloadResponse, error) {
	want := new(workloadDesired)
	(*w.desires.Load())(req, want)
	return &workloadResponse{Children: want, Status: &testapi.Status{Phase: req.Parent.Spec.Text}}, nil
}

// exists is the ReadyWhen of children that run nowhere.
func exists(client.Object) (bool, error) { return true, nil }

// desire has Sync desire what the function adds, and waits until that is done.
func (w *workloads) desire(desires workloadFunction) {
	w.t.Helper()
	w.desires.Store(&desires)
	w.touch()
	w.ready()
}

// touch changes the Site, so that it is reconciled.
func (w *workloads) touch() {
	w.t.Helper()
	w.edits++
	w.Update(w.site, func() { w.site.Spec.Text = fmt.Sprint("edit ", w.edits) })
}

// ready waits until the Site is ready as it is.
func (w *workloads) ready() { w.t.Helper(); w.shows(metav1.ConditionTrue, "Ready") }

// shows waits until the Ready condition of the Site as it is has this status and reason.
func (w *workloads) shows(status metav1.ConditionStatus, reason string) {
	w.t.Helper()
	current := site(w.site.Name)
	w.Eventually("Ready is "+string(status)+" with reason "+reason, func() error {
		w.Get(current)
		condition := meta.FindStatusCondition(current.Status.Conditions, "Ready")
		if condition == nil || condition.Status != status || condition.Reason != reason || condition.ObservedGeneration != current.Generation || current.Status.Phase != current.Spec.Text {
			return fmt.Errorf("status is %+v of generation %d", current.Status, current.Generation)
		}
		return nil
	})
}

// converged checks that a further reconcile sends nothing.
func (w *workloads) converged() {
	w.t.Helper()
	w.Settled()
	w.Converged(w.site)
}

// replicas returns the replicas of the Deployment.
func (w *workloads) replicas() int32 {
	w.t.Helper()
	w.Get(w.deployment)
	return *w.deployment.Spec.Replicas
}

// scale sets the replicas of the Deployment through the scale subresource, as an autoscaler does.
func (w *workloads) scale(replicas int32) {
	w.t.Helper()
	deployment := named(&appsv1.Deployment{}, "web")
	deployment.Namespace = w.Namespace
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas))
	if err := w.Client.SubResource("scale").Patch(w.t.Context(), deployment, patch, client.FieldOwner(autoscaler)); err != nil {
		w.t.Error(err)
	}
}

// autoscaler is the field manager of scale.
const autoscaler = "horizontal-pod-autoscaler"

// owners returns the field managers that own a field of an object, whose path is that of its names,
// or a field below it.
func (w *workloads) owners(object client.Object, names ...any) (owners []string) {
	w.t.Helper()
	w.Get(object)
	path := fieldpath.MakePathOrDie(names...)
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && managedfields.Has(managedfields.Parse(entry.FieldsV1.GetRawBytes()), path) {
			owners = append(owners, entry.Manager)
		}
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}

// watcher returns a client that can watch.
func (w *workloads) watcher() client.WithWatch {
	w.t.Helper()
	watcher, err := client.NewWithWatch(configOfTest(w.t), client.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return watcher
}

// watchReplicas records every number of replicas that a watch of the Deployment shows. The function
// that it returns waits until the watch has shown the current version, and returns what it has seen.
func (w *workloads) watchReplicas() (seen func() []int32) {
	w.t.Helper()
	watcher := w.watcher()
	w.Get(w.deployment)
	version := w.deployment.ResourceVersion
	events, err := watcher.Watch(w.t.Context(), &appsv1.DeploymentList{}, client.InNamespace(w.Namespace), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	if err != nil {
		w.t.Fatal(err)
	}
	return func() (seen []int32) {
		w.t.Helper()
		defer events.Stop()
		w.Get(w.deployment)
		last, late := w.deployment.ResourceVersion, time.After(30*time.Second)
		for version != last {
			select {
			case event := <-events.ResultChan():
				deployment := event.Object.(*appsv1.Deployment)
				version = deployment.ResourceVersion
				seen = append(seen, *deployment.Spec.Replicas)
			case <-late:
				w.t.Fatalf("the watch is at %s, and the Deployment at %s", version, last)
			}
		}
		return seen
	}
}

// deploymentWith returns a Deployment with an image, and with replicas unless they are 0.
func deploymentWith(image string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
			},
		},
	}
	if replicas > 0 {
		deployment.Spec.Replicas = &replicas
	}
	return deployment
}

// desireDeployment desires a Deployment that hands over its replicas.
func desireDeployment(image string, replicas int32, options ...operator.ChildOption) workloadFunction {
	return func(_ *workloadRequest, want *workloadDesired) {
		want.Deployments.Add(deploymentWith(image, replicas), append(options, operator.HandOver(".spec.replicas"))...)
	}
}

// handedOver checks that the operator does not own the replicas of the Deployment.
func (w *workloads) handedOver() {
	w.t.Helper()
	if owners := w.owners(w.deployment, "spec", "replicas"); slices.Contains(owners, siteManager) {
		w.t.Errorf("the replicas are handed over and owned by %v", owners)
	}
}

// sent compares the requests since the first n with what is expected. Dry runs do not count: how many a change costs
// depends on whether the Deployment has its revision yet.
func (w *workloads) sent(n int, expected []string) {
	w.t.Helper()
	var got []string
	for _, request := range w.Requests()[n:] {
		if !request.DryRun {
			got = append(got, request.String())
		}
	}
	if diff := operatortest.Diff(expected, got); diff != "" {
		w.t.Errorf("requests (-expected +got):\n%s", diff)
	}
}

// saysOfReady waits until the message of the Ready condition has a text.
func (w *workloads) saysOfReady(text string) {
	w.t.Helper()
	current := site(w.site.Name)
	w.Eventually("Ready says "+text, func() error {
		w.Get(current)
		condition := meta.FindStatusCondition(current.Status.Conditions, "Ready")
		if condition == nil || !strings.Contains(condition.Message, text) {
			return fmt.Errorf("status is %+v", current.Status)
		}
		return nil
	})
}
