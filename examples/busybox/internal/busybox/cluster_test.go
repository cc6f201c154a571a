package busybox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/busybox/api/v1"
)

func testConfig(images *fakeRegistry) operatortest.Config {
	return operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{Controller(&Reconciler{imageOf: images.imageOf})}, nil
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
	}
}

// TestExplore changes the Pod behind the operator's back, changes what Sync desires, and lets
// requests fail.
func TestExplore(t *testing.T) {
	life := operatortest.Life{Parents: operatortest.ParentsOf(newBox)}
	operatortest.Explore(t, testConfig(newRegistry()), life)
}

// start runs the operator with one BusyBox, whose Pod runs. Without a cluster it skips: see
// make test-e2e. The clock stands still, so that nothing is retried before the test says so.
func start(t *testing.T) (*operatortest.Cluster, *fakeRegistry, *v1.BusyBox, *corev1.Pod) {
	t.Helper()
	t.Parallel()
	images, box := newRegistry(), newBox("box")
	cluster := operatortest.Start(t, testConfig(images))
	cluster.StopClock()
	cluster.Create(box)
	return cluster, images, box, runPod(cluster, box, "busybox@sha256:one")
}

// runPod has the Pod of a BusyBox run, and waits until the status says so.
func runPod(cluster *operatortest.Cluster, box *v1.BusyBox, image string) *corev1.Pod {
	pod := podWith(box.Name, image)
	cluster.Matches(pod)
	cluster.MakeReady(pod)
	waitForReason(cluster, box, "Ready")
	cluster.Matches(&v1.BusyBox{
		ObjectMeta: metav1.ObjectMeta{Name: box.Name},
		Status:     v1.BusyBoxStatus{Phase: "Running", Image: image},
	})
	cluster.Converged(box)
	cluster.Truthful(box)
	cluster.Get(pod)
	return pod
}

// waitForReason waits until the Ready condition has a reason.
func waitForReason(cluster *operatortest.Cluster, box *v1.BusyBox, reason string) {
	cluster.Eventually("Ready has the reason "+reason, func() error {
		cluster.Get(box)
		ready := meta.FindStatusCondition(box.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != reason {
			return fmt.Errorf("it is %+v", ready)
		}
		return nil
	})
}

// requireSame fails the test if a Pod is gone, being deleted, or another one.
func requireSame(t *testing.T, cluster *operatortest.Cluster, pod *corev1.Pod) {
	t.Helper()
	uid := pod.UID
	if !cluster.Get(pod) || pod.UID != uid || pod.DeletionTimestamp != nil {
		t.Errorf("the Pod %s is not the same any more", pod.Name)
	}
}

func TestAParentIsCreatedAndDeletedWithItsChild(t *testing.T) {
	cluster, _, box, pod := start(t)
	cluster.Delete(box)
	cluster.Gone(box, pod)
}

func TestAnErrorOfSyncIsRetriedUntilItSucceedsAndDeletesNothing(t *testing.T) {
	cluster, images, box, pod := start(t)
	cluster.Update(box, func() { box.Spec.Tag = "next" })
	waitForReason(cluster, box, "SyncFailed")
	cluster.Eventually("an Event says why", func() error {
		var events corev1.EventList
		inNamespace := client.InNamespace(cluster.Namespace)
		if err := cluster.Client.List(t.Context(), &events, inNamespace); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(event corev1.Event) bool {
			return event.InvolvedObject.UID == box.UID && event.Reason == "SyncFailed" &&
				strings.Contains(event.Message, "image of the tag next: there is no such tag")
		}) {
			return errors.New("there is none")
		}
		return nil
	})

	// Retries go on, and the Pod stays. Other BusyBoxes are not affected.
	before := cluster.Errors(box)["SyncFailed"]
	cluster.Advance(time.Minute)
	if after := cluster.Errors(box)["SyncFailed"]; after <= before {
		t.Errorf("Sync failed %d times, and %d times a minute later", before, after)
	}
	other := newBox("other")
	cluster.Create(other)
	runPod(cluster, other, "busybox@sha256:one")
	requireSame(t, cluster, pod)
	cluster.Truthful(box)

	// The next retry succeeds. Nothing but time has passed in the cluster.
	images.push("next", "busybox@sha256:two")
	cluster.Advance(10 * time.Minute)
	cluster.Gone(pod)
	runPod(cluster, box, "busybox@sha256:two")
	cluster.Delete(box, other)
	cluster.Gone(box, other)
}

func TestFinalizeIsRetriedUntilItIsDone(t *testing.T) {
	cluster, _, box, pod := start(t)
	const hold = "example.com/hold"
	cluster.Update(pod, func() { pod.Finalizers = append(pod.Finalizers, hold) })
	cluster.Delete(box)
	waitForReason(cluster, box, "Finalizing")
	for range 3 { // each calls Finalize, which is not done while the Pod exists
		cluster.Reconciled(box)
	}
	if !cluster.Get(box) {
		t.Fatal("the BusyBox is gone before its Pod")
	}
	if cluster.Get(pod); pod.DeletionTimestamp == nil {
		t.Error("Finalize has not deleted the Pod")
	}
	cluster.Update(pod, func() {
		pod.Finalizers = slices.DeleteFunc(pod.Finalizers, func(f string) bool { return f == hold })
	})
	cluster.Gone(pod, box)
}

func TestAChildThatSomebodyDeletesIsRecreated(t *testing.T) {
	cluster, _, box, pod := start(t)
	cluster.Delete(pod)
	cluster.Gone(pod)
	runPod(cluster, box, "busybox@sha256:one")
	cluster.Delete(box)
	cluster.Gone(box)
}

func TestAChildThatDiffersIsRecreated(t *testing.T) {
	cluster, _, box, pod := start(t)
	first := pod.DeepCopy()
	cluster.Update(pod, func() { pod.Labels = map[string]string{"by": "somebody"} })
	cluster.Converged(box)
	if cluster.Get(pod); pod.UID != first.UID || pod.Labels["by"] != "somebody" {
		t.Error("a label that Sync does not set recreated the Pod, or was removed")
	}
	cluster.Update(pod, func() { pod.Spec.Containers[0].Image = "busybox:theirs" })
	cluster.Gone(first)
	second := runPod(cluster, box, "busybox@sha256:one")

	// The parent changes, and so does the child.
	cluster.Update(box, func() { box.Spec.RestartPolicy = v1.BusyBoxRestartPolicyNever })
	cluster.Gone(second)
	cluster.Matches(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: box.Name},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever},
	})
	cluster.Converged(box)
	cluster.Delete(box)
	cluster.Gone(box)
}

func TestATimedResync(t *testing.T) {
	cluster, images, box, pod := start(t)
	images.push("stable", "busybox@sha256:two")
	cluster.Advance(checkEvery - time.Minute)
	cluster.Settled()
	requireSame(t, cluster, pod)
	cluster.Advance(time.Minute)
	cluster.Gone(pod)
	runPod(cluster, box, "busybox@sha256:two")
	cluster.Delete(box)
	cluster.Gone(box)
}
