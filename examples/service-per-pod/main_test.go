package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// fixture is a StatefulSet on a real API server, with both controllers at work. The cluster's own controllers make its
// Pods, and the test plays the kubelet.
type fixture struct {
	*operatortest.Cluster
	t   *testing.T
	set *appsv1.StatefulSet
}

// start creates a StatefulSet that asks for Services. Without a cluster it skips: see make test-e2e.
func start(t *testing.T, replicas int32) *fixture {
	t.Helper()
	t.Parallel()
	f := &fixture{t: t, Cluster: operatortest.Start(t, operatortest.Config{Controllers: controllers, Roles: "deploy/zz_generated.rbac.yaml"})}
	app := map[string]string{"app": "web"}
	f.set = &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "web",
			Annotations: map[string]string{"service-per-pod": "pod-name", "service-per-pod-ports": "80:8080"},
		},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: app, Annotations: map[string]string{"pod-name-label": "pod-name"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
			},
		},
	}
	f.Create(f.set)
	f.MakeReady(f.set)
	f.served(int(replicas))
	return f
}

func service(ordinal int) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", ordinal)}}
}

func pod(ordinal int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", ordinal)}}
}

// served waits until there are this many Services, and each selects the Pod of its name and no other, and then checks
// that it is converged.
func (f *fixture) served(pods int) {
	f.t.Helper()
	f.Eventually(fmt.Sprintf("%d Pods are served", pods), func() error {
		var services corev1.ServiceList
		if err := f.Client.List(f.t.Context(), &services, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		if got := len(services.Items); got != pods {
			return fmt.Errorf("there are %d Services", got)
		}
		for _, service := range services.Items {
			var selected corev1.PodList
			if err := f.Client.List(f.t.Context(), &selected, client.InNamespace(f.Namespace), client.MatchingLabels(service.Spec.Selector)); err != nil {
				return err
			}
			if len(selected.Items) != 1 || selected.Items[0].Name != service.Name {
				return fmt.Errorf("%s selects %d Pods by %v", service.Name, len(selected.Items), service.Spec.Selector)
			}
		}
		return nil
	})
	f.Converged()
}

func (f *fixture) annotate(key, value string) {
	f.t.Helper()
	f.Update(f.set, func() { metav1.SetMetaDataAnnotation(&f.set.ObjectMeta, key, value) })
}

func TestEveryPodHasAService(t *testing.T) {
	f := start(t, 3)
	if f.Get(f.set); len(f.set.Finalizers) > 0 {
		t.Errorf("the StatefulSet has the finalizers %v, and needs none", f.set.Finalizers)
	}
	f.Update(f.set, func() { *f.set.Spec.Replicas = 1 })
	f.Gone(service(1), service(2))
	f.Gone(pod(1), pod(2))
	f.served(1)
	f.Update(f.set, func() { *f.set.Spec.Replicas = 2 })
	f.MakeReady(f.set)
	f.served(2)

	f.Delete(f.set)
	f.Gone(service(0), service(1))
}

func TestWhatOthersBreakIsRepaired(t *testing.T) {
	f := start(t, 2)
	lost, drifted, stripped := service(0), service(1), pod(0)
	f.Exists(lost)
	f.Delete(lost)
	f.Gone(lost)
	f.Update(drifted, func() { drifted.Spec.Selector["pod-name"] = "web-0" })
	f.Update(stripped, func() { delete(stripped.Labels, "pod-name") })
	f.served(2)

	// A recreated Pod is another one, and is labelled, too.
	f.Delete(stripped)
	f.Gone(stripped)
	f.MakeReady(f.set)
	f.served(2)
}

// The operator backs off, and looks at the Pod itself to name who changes it.
func TestALabelThatSomebodyKeepsChangingIsNamed(t *testing.T) {
	f := start(t, 1)
	labelled := pod(0)
	f.served(1)
	for range 4 {
		f.Update(labelled, func() { labelled.Labels["pod-name"] = "another" })
		f.Reconcile(labelled)
	}
	f.Update(labelled, func() { delete(labelled.Annotations, "pod-name-label") })
}

func TestPortsChangeInPlace(t *testing.T) {
	f := start(t, 1)
	before := service(0)
	f.Exists(before)
	f.annotate("service-per-pod-ports", "443:https")
	after := service(0)
	f.Eventually("the Service has the new port alone", func() error {
		if f.Get(after); len(after.Spec.Ports) != 1 || after.Spec.Ports[0].Port != 443 || after.Spec.Ports[0].TargetPort.String() != "https" {
			return fmt.Errorf("it has %v", after.Spec.Ports)
		}
		return nil
	})
	if after.UID != before.UID || after.Spec.ClusterIP != before.Spec.ClusterIP {
		t.Error("the Service is another one")
	}
	f.served(1)
}

func TestWrongPortsAreToldAndDeleteNothing(t *testing.T) {
	f := start(t, 1)
	f.annotate("service-per-pod-ports", "http")
	f.Eventually("an Event says what is wrong", func() error {
		var events corev1.EventList
		if err := f.Client.List(t.Context(), &events, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(event corev1.Event) bool {
			return event.InvolvedObject.UID == f.set.UID && strings.Contains(event.Message, `"http" is neither a port nor port:targetPort`)
		}) {
			return errors.New("none does")
		}
		return nil
	})
	if !f.Get(service(0)) {
		t.Error("the Service was deleted")
	}
	f.annotate("service-per-pod-ports", "80")
	f.served(1)
}

func TestWhoOptsOutLosesTheServices(t *testing.T) {
	f := start(t, 2)
	f.Stop() // what happens meanwhile is found out later
	f.Update(f.set, func() { delete(f.set.Annotations, "service-per-pod") })
	f.Restart()
	f.served(0)
	f.annotate("service-per-pod", "pod-name")
	f.served(2)
	f.Update(f.set, func() { delete(f.set.Annotations, "service-per-pod") })
	f.served(0)

	// So does a Pod with its label.
	stripped := pod(0)
	f.Update(stripped, func() { delete(stripped.Annotations, "pod-name-label") })
	f.Eventually("the label is gone", func() error {
		if f.Get(stripped); stripped.Labels["pod-name"] != "" {
			return errors.New("it is not")
		}
		return nil
	})
	f.Converged()
}
