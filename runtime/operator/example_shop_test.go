package operator_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Shop is the parent in the examples of docs/. In a project, opgen generates all
// that this file has from a spec file, and calls it Request, Response, Children,
// Desired and Related.
type Shop struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   ShopSpec
	Status ShopStatus
}

type ShopSpec struct {
	Image, Owner       string
	Replicas           int32
	Schedule, TimeZone string
	Keep               int32
	Settings           string
	Rates              []string
	Rotation           string
	Lifetime           time.Duration
	// Of a rolling update: how many Pods may be down, and how many keep their version.
	MaxUnavailable intstr.IntOrString
	Partition      int32

	MaxReplicas        int32 // of an autoscaler; 0: there is none
	Storage            resource.Quantity
	DeleteData, Paused bool // the data goes with the shop; no worker runs
}

type ShopStatus struct {
	Phase   string
	Image   string
	Copies  int32
	Primary string
	LastRun *metav1.Time
}

func (s *Shop) DeepCopyObject() runtime.Object {
	shop := *s
	shop.ObjectMeta = *s.ObjectMeta.DeepCopy()
	return &shop
}

type (
	shopChildren struct {
		Deployments            operator.Snapshot[*appsv1.Deployment]
		Services               operator.Snapshot[*corev1.Service]
		Pods                   operator.Snapshot[*corev1.Pod]
		Jobs                   operator.Snapshot[*batchv1.Job]
		Secrets                operator.Snapshot[*corev1.Secret]
		PersistentVolumeClaims operator.Snapshot[*corev1.PersistentVolumeClaim]
		ServiceMonitors        operator.Snapshot[*unstructured.Unstructured]
	}
	shopDesired struct {
		Deployments            operator.DesiredSet[*appsv1.Deployment]
		StatefulSets           operator.DesiredSet[*appsv1.StatefulSet]
		Services               operator.DesiredSet[*corev1.Service]
		Pods                   operator.DesiredSet[*corev1.Pod]
		Jobs                   operator.DesiredSet[*batchv1.Job]
		Secrets                operator.DesiredSet[*corev1.Secret]
		PersistentVolumeClaims operator.DesiredSet[*corev1.PersistentVolumeClaim]
		Autoscalers            operator.DesiredSet[*autoscalingv2.HorizontalPodAutoscaler]
		ServiceMonitors        operator.DesiredSet[*unstructured.Unstructured]
		Patches                shopPatches
	}
	shopPatches struct {
		Members operator.PatchSet[*corev1.Pod]
	}
	shopRelated struct {
		Settings operator.Snapshot[*corev1.ConfigMap]
		Rates    operator.Snapshot[*corev1.ConfigMap]
		Orders   operator.Snapshot[*corev1.ConfigMap]
		Members  operator.Snapshot[*corev1.Pod]
	}
	shopSelections struct {
		Rates []operator.Selection
	}
	shopRequest  = operator.Request[*Shop, shopChildren, shopRelated]
	shopResponse = operator.Response[shopDesired, ShopStatus]
)

// open is noon of the day on which the shop was made.
var open = time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)

// tea is the shop of the examples, as a reconcile sees it two minutes after it was made.
func tea(change func(*shopRequest)) *shopRequest {
	request := &shopRequest{
		Parent: &Shop{
			ObjectMeta: metav1.ObjectMeta{Namespace: "town", Name: "tea", UID: "7", CreationTimestamp: metav1.NewTime(open)},
			Spec:       ShopSpec{Image: "example.com/shop:1", Replicas: 2, Owner: "ann", Lifetime: time.Hour},
		},
		Now: open.Add(2 * time.Minute),
	}
	if change != nil {
		change(request)
	}
	return request
}

func called(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func deploymentFor(shop *Shop) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: called(shop.Name), Spec: appsv1.DeploymentSpec{Replicas: &shop.Spec.Replicas}}
}

// deploymentOf is the Deployment with this image.
func deploymentOf(shop *Shop, image string) *appsv1.Deployment {
	deployment := deploymentFor(shop)
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "shop", Image: image}}
	return deployment
}

func autoscalerFor(shop *Shop) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: called(shop.Name), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: shop.Spec.MaxReplicas}}
}

func serviceFor(shop *Shop) *corev1.Service { return &corev1.Service{ObjectMeta: called(shop.Name)} }

func monitorFor(shop *Shop) *unstructured.Unstructured {
	monitor := operator.Unstructured("monitoring.coreos.com/v1", "ServiceMonitor")
	monitor.SetName(shop.Name)
	return monitor
}

func secretFor(shop *Shop) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: called(shop.Name), StringData: map[string]string{"owner": shop.Spec.Owner}}
}

func claimFor(shop *Shop) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: called(shop.Name)}
}

func podFor(shop *Shop, number int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: called(fmt.Sprintf("%s-%d", shop.Name, number))}
}

func jobFor(shop *Shop, name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: called(name), Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "job", Image: shop.Spec.Image}}},
	}}}
}

// callSync returns what an author's function answers to a request.
func callSync[Q, A any](function func(context.Context, *Q) (*A, error), request *Q) *A {
	given, err := function(context.Background(), request)
	if err != nil {
		panic(err)
	}
	return given
}

// show prints what a Sync or a Finalize answers.
func show(function func(context.Context, *shopRequest) (*shopResponse, error), request *shopRequest) {
	response, err := function(context.Background(), request)
	if response == nil {
		response = new(shopResponse)
	}
	operatortest.Applied(response)
	if response.Children == nil {
		fmt.Println("children: left alone")
	} else {
		showSet("Deployment", &response.Children.Deployments)
		showSet("StatefulSet", &response.Children.StatefulSets)
		showSet("Service", &response.Children.Services)
		showSet("Pod", &response.Children.Pods)
		showSet("Job", &response.Children.Jobs)
		showSet("Secret", &response.Children.Secrets)
		showSet("PersistentVolumeClaim", &response.Children.PersistentVolumeClaims)
		showSet("HorizontalPodAutoscaler", &response.Children.Autoscalers)
		showSet("ServiceMonitor", &response.Children.ServiceMonitors)
	}
	if response.KeepAll {
		fmt.Println("all others are kept")
	}
	for _, object := range response.Delete {
		fmt.Println("deletes", object.GetName())
	}
	if response.Status != nil {
		fmt.Printf("status: phase %q, copies %d", response.Status.Phase, response.Status.Copies)
		if last := response.Status.LastRun; !last.IsZero() {
			fmt.Printf(", last run at %s", last.UTC().Format("15:04"))
		}
		fmt.Println()
	}
	for _, condition := range response.Conditions {
		fmt.Printf("condition: %s=%s %s\n", condition.Type, condition.Status, condition.Reason)
	}
	for _, event := range response.Events {
		fmt.Printf("event: %s: %s\n", event.Reason, event.Message)
	}
	if response.Labels != nil {
		fmt.Println("labels:", response.Labels)
	}
	if response.RequeueAfter > 0 {
		fmt.Println("again in", response.RequeueAfter)
	}
	if response.Finalized {
		fmt.Println("finalized")
	}
	if err != nil {
		fmt.Println("error:", err)
	}
}

func showSet[T client.Object](kind string, set *operator.DesiredSet[T]) {
	for _, child := range set.Children() {
		name := fmt.Sprint(kind, " ")
		if child.Object != nil {
			name += child.Object.GetName()
		} else {
			name += "as configured"
		}
		if deployment, ok := child.Object.(*appsv1.Deployment); ok {
			if len(deployment.Spec.Template.Annotations) > 0 {
				name += " with the revision of its password"
			}
			for _, container := range deployment.Spec.Template.Spec.Containers {
				name += " with " + container.Image
			}
		}
		for _, option := range []string{string(child.Update), string(child.Adopt), string(child.WhenImmutable), string(child.WhenRecreated)} {
			name += strings.TrimRight(", "+option, ", ")
		}
		if child.WhenDropped != "" {
			name += ", when dropped " + string(child.WhenDropped)
		}
		if child.WhenDeleted != "" {
			name += ", when deleted " + string(child.WhenDeleted)
		}
		if child.PartOfReady != nil && !*child.PartOfReady {
			name += ", no part of Ready"
		}
		for _, generated := range child.Generate {
			name += fmt.Sprintf(", %s of %d characters is generated for %q", generated.Key, generated.Length, generated.Token)
		}
		for _, before := range child.After {
			name += ", after " + before.GetName()
		}
		for _, before := range child.CreateAfter {
			name += ", created after " + before.GetName()
		}
		for _, path := range child.HandOver {
			name += ", hands over " + path
		}
		for _, old := range child.Replaces {
			name += ", replaces " + old.GetName()
		}
		if child.NotReady != "" {
			name += ", " + child.NotReady
		}
		if child.NotUpdated != "" {
			name += ", not updated: " + child.NotUpdated
		}
		for _, path := range child.InPlace {
			name += ", in place " + path
		}
		if child.UpdateLast {
			name += ", updated last"
		}
		fmt.Println(name)
	}
	for _, name := range set.Kept() {
		fmt.Println(kind, name, "is kept")
	}
}

func databaseFor(shop *Shop) *appsv1.StatefulSet {
	labels := map[string]string{"app": shop.Name}
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: shop.Name},
		Spec: appsv1.StatefulSetSpec{
			Selector:             &metav1.LabelSelector{MatchLabels: labels},
			Template:             corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{*claimFor(shop)},
		},
	}
}
