package indexedjob

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/indexed-job/api/v1"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
	}
}

// run is an IndexedJob on a real API server, without which its test skips: see make test-e2e. The
// test plays the kubelet.
type run struct {
	*operatortest.Cluster
	t   *testing.T
	job *v1.IndexedJob
}

func start(t *testing.T, completions, parallelism int32) run {
	t.Helper()
	t.Parallel()
	r := run{Cluster: operatortest.Start(t, testConfig()), t: t, job: newJob(completions, parallelism)}
	r.Create(r.job)
	return r
}

// pod returns the Pod of an index, of which only the name is set.
func pod(index int32) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: podFor(newJob(0, 0), index).ObjectMeta}
}

// succeed has the Pods of these indexes succeed.
func (r run) succeed(indexes ...int32) {
	r.t.Helper()
	for _, index := range indexes {
		ended := pod(index)
		r.UpdateStatus(ended, func() { kubelet.SucceedPod(ended, time.Now()) })
	}
}

// runs requires that, once nothing is left to do, these Pods and no others run.
func (r run) runs(succeeded int32, running ...string) {
	r.t.Helper()
	r.Eventually(fmt.Sprintf("%d Pods have succeeded, and %v run", succeeded, running), func() error {
		var names []string
		for _, pod := range operatortest.ChildrenOf[*corev1.Pod](r.Cluster, r.job) {
			if pod.Status.Phase == corev1.PodPending {
				names = append(names, pod.Name)
			}
		}
		r.Get(r.job)
		status := r.job.Status
		if slices.Sort(names); !slices.Equal(names, running) || status.Succeeded != succeeded ||
			int(status.Active) != len(running) || status.Failed != 0 {
			return fmt.Errorf("these run: %v, and the status is %+v", names, status)
		}
		return nil
	})
	r.Converged(r.job)
	r.Truthful(r.job)
}

// created returns the names of the Pods that the operator has created so far. It creates several at
// once.
func (r run) created() string {
	var names []string
	for _, request := range r.Writes() {
		if request.Verb == "create" && request.Resource == "pods" {
			names = append(names, request.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// is reports whether a condition is True.
func (r run) is(condition string) bool {
	r.Get(r.job)
	return meta.IsStatusConditionTrue(r.job.Status.Conditions, condition)
}

func TestEveryIndexSucceeds(t *testing.T) {
	r := start(t, 5, 2)
	r.runs(0, "sum-0", "sum-1")
	r.succeed(1)
	r.runs(1, "sum-0", "sum-2")
	r.Restart()
	r.runs(1, "sum-0", "sum-2")
	r.succeed(2)
	r.runs(2, "sum-0", "sum-3")
	r.succeed(0, 3)
	r.runs(4, "sum-4")
	if r.is("Complete") || r.is("Ready") {
		t.Errorf("it is complete before its last Pod: %+v", r.job.Status)
	}
	r.succeed(4)
	r.runs(5)
	if !r.is("Complete") || !r.is("Ready") {
		t.Errorf("it is not complete: %+v", r.job.Status)
	}

	// It stays complete: a Pod that somebody deletes does not run again.
	first := pod(0)
	r.Exists(first)
	r.Delete(first)
	r.Update(r.job, func() { r.job.Spec.Parallelism = 1 })
	r.Restart()
	r.runs(5)
	r.Gone(first)
	if created := r.created(); created != "sum-0 sum-1 sum-2 sum-3 sum-4" {
		t.Errorf("these Pods were created: %s", created)
	}

	r.Delete(r.job)
	r.Gone(r.job, pod(1), pod(2), pod(3), pod(4))
}

func TestAFailedPodIsRecreated(t *testing.T) {
	r := start(t, 3, 2)
	r.runs(0, "sum-0", "sum-1")
	failing, other := pod(0), pod(1)
	r.Exists(failing, other)
	r.MakeFailed(failing)
	r.Gone(failing)
	r.runs(0, "sum-0", "sum-1")
	again := pod(1)
	if r.Exists(again); again.UID != other.UID {
		t.Error("the other Pod was recreated, too")
	}
	r.succeed(0, 1)
	r.runs(2, "sum-2")
	r.succeed(2)
	r.runs(3)
	r.Delete(r.job)
	r.Gone(r.job, pod(0), pod(1), pod(2))
}

func TestPodsStayAsTheyWereCreated(t *testing.T) {
	r := start(t, 3, 2)
	r.runs(0, "sum-0", "sum-1")
	r.Update(r.job, func() { r.job.Spec.Template.Spec.Containers[0].Image = "sum:2" })
	r.runs(0, "sum-0", "sum-1")
	r.succeed(0)
	r.runs(1, "sum-1", "sum-2")
	for index, image := range []string{"sum:1", "sum:1", "sum:2"} {
		created := pod(int32(index))
		if r.Exists(created); created.Spec.Containers[0].Image != image {
			t.Errorf("the Pod %d has the image %s", index, created.Spec.Containers[0].Image)
		}
	}
	r.Delete(r.job)
	r.Gone(r.job, pod(0), pod(1), pod(2))
}

// TestAPodIsCountedWithoutItsLabels removes the label by which the operator finds its Pods.
func TestAPodIsCountedWithoutItsLabels(t *testing.T) {
	r := start(t, 2, 1)
	r.runs(0, "sum-0")
	stripped := pod(0)
	r.Update(stripped, func() { stripped.Labels = nil })
	r.Matches(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name:   "sum-0",
		Labels: map[string]string{"indexedjob.example.com/indexedjob": string(r.job.UID)},
	}})
	r.runs(0, "sum-0")
	r.succeed(0)
	r.runs(1, "sum-1")
}

func TestWhatCannotWorkIsRefused(t *testing.T) {
	r := start(t, 1, 1)
	r.runs(0, "sum-0")
	forever := newJob(1, 1)
	forever.Name, forever.Namespace = "forever", r.Namespace
	forever.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	r.job.Spec.Completions = 2
	for reason, err := range map[string]error{
		"must be Never or OnFailure": r.Client.Create(t.Context(), forever),
		"cannot change":              r.Client.Update(t.Context(), r.job),
	} {
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("the API server says %v, want %s", err, reason)
		}
	}
}

// TestExplore deletes and copies the Pod, refuses it, and lets requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *v1.IndexedJob {
		job := newJob(2, 1)
		job.Name = name
		return job
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}
