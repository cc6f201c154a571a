package operator_test

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// recordKey is the annotation that a child carries which was adopted as it is.
const recordKey = "test.opgen.dev/adopted-as-it-is"

// desireAsItIs desires a Deployment that is adopted as it is.
func desireAsItIs(image string, replicas int32, options ...operator.ChildOption) workloadFunction {
	return func(_ *workloadRequest, want *workloadDesired) {
		want.Deployments.Add(deploymentWith(image, replicas), append(options, operator.AdoptAsItIs)...)
	}
}

func desireNothing(*workloadRequest, *workloadDesired) {}

// foreignDeployment creates a Deployment as kubectl apply does, with another template than the operator
// desires, and waits until the cluster runs it.
func (w *workloads) foreignDeployment() {
	w.t.Helper()
	theirs := deploymentWith("theirs:1", 3)
	theirs.Namespace = w.Namespace
	theirs.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"}
	theirs.Labels = map[string]string{"team": "blue"}
	theirs.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MODE", Value: "fast"}}
	theirs.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	if err := w.Client.Create(w.t.Context(), theirs, client.FieldOwner("kubectl-client-side-apply")); err != nil {
		w.t.Fatal(err)
	}
	w.Eventually("the controller of Deployments has written all that it writes without a kubelet", func() error {
		if w.Get(w.deployment); w.deployment.Status.ObservedGeneration == 0 || w.deployment.Status.UpdatedReplicas != 3 || w.deployment.Status.UnavailableReplicas != 3 {
			return fmt.Errorf("its status is %+v", w.deployment.Status)
		}
		return nil
	})
}

// watchRolls records the versions that a watch shows of the Deployment, without their status. The function
// that it returns waits until the watch has shown the current version, and returns all replicas
// and images, one after the other.
func (w *workloads) watchRolls() (seen func() []string) {
	w.t.Helper()
	w.Get(w.deployment)
	version := w.deployment.ResourceVersion
	events, err := w.watcher().Watch(w.t.Context(), &appsv1.DeploymentList{}, client.InNamespace(w.Namespace), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(events.Stop)
	return func() (seen []string) {
		w.t.Helper()
		w.Get(w.deployment)
		last, late := w.deployment.ResourceVersion, time.After(30*time.Second)
		for version != last {
			select {
			case event := <-events.ResultChan():
				deployment, ok := event.Object.(*appsv1.Deployment)
				if !ok || event.Type == watch.Deleted {
					w.t.Fatalf("the watch shows %s %v", event.Type, event.Object)
				}
				version = deployment.ResourceVersion
				seen = append(seen, rollOf(deployment))
			case <-late:
				w.t.Fatalf("the watch is at %s, and the Deployment at %s", version, last)
			}
		}
		return slices.Compact(seen)
	}
}

// rollOf returns what changes when a Deployment is rolled or scaled. That excludes its generation, in which annotations
// count.
func rollOf(deployment *appsv1.Deployment) string {
	return fmt.Sprintf("%d of %s", *deployment.Spec.Replicas, deployment.Spec.Template.Spec.Containers[0].Image)
}

// replicaSets returns the images of all ReplicaSets of the test, in the order of their names.
func (w *workloads) replicaSets() (images []string) {
	w.t.Helper()
	var list appsv1.ReplicaSetList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	for _, set := range list.Items {
		images = append(images, set.Spec.Template.Spec.Containers[0].Image)
	}
	return images
}

// keepsTheirs checks that the Deployment is as its first author has applied it, and the child of the Site.
func (w *workloads) keepsTheirs(replicas int32) {
	w.t.Helper()
	w.Get(w.site)
	w.Get(w.deployment)
	template := w.deployment.Spec.Template.Spec
	switch owner := metav1.GetControllerOf(w.deployment); {
	case owner == nil || owner.UID != w.site.UID:
		w.t.Errorf("it belongs to %v", owner)
	case template.Containers[0].Image != "theirs:1" || len(template.Containers[0].Env) != 1 || template.NodeSelector["disk"] != "ssd":
		w.t.Errorf("its template is %+v", template)
	case *w.deployment.Spec.Replicas != replicas, w.deployment.Labels["team"] != "blue", w.deployment.Annotations["kubectl.kubernetes.io/last-applied-configuration"] != "{}":
		w.t.Errorf("it has %d replicas, %v and %v", *w.deployment.Spec.Replicas, w.deployment.Labels, w.deployment.Annotations)
	case w.deployment.Annotations[recordKey] == "":
		w.t.Errorf("its annotations are %v", w.deployment.Annotations)
	}
	if images := w.replicaSets(); !slices.Equal(images, []string{"theirs:1"}) {
		w.t.Errorf("the ReplicaSets are of %v", images)
	}
}

// desirePlain desires a Deployment without options.
func desirePlain(image string, replicas int32) workloadFunction {
	return func(_ *workloadRequest, want *workloadDesired) {
		want.Deployments.Add(deploymentWith(image, replicas))
	}
}
