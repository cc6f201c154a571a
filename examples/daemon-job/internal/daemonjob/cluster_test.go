package daemonjob

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	daemonjobv1 "example.com/daemon-job/api/v1"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{daemonjobv1.AddToScheme},
	}
}

// TestExplore changes the DaemonSet behind the operator's back, changes what Sync desires, and lets
// requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *daemonjobv1.DaemonJob {
		job := newJob()
		job.Name = name
		return job
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

// TestDaemonJob runs the operator against a real API server; without one it skips. See make test-e2e.
// The nodes are those of the test, on which no kubelet runs.
func TestDaemonJob(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	node := func(name string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: cluster.Namespace + "-" + name, Labels: map[string]string{"test": cluster.Namespace},
		}}
	}
	cluster.Create(node("a"), node("b"))
	job := newJob()
	job.Spec.Template.Spec.NodeSelector = map[string]string{"test": cluster.Namespace}
	job.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	cluster.Create(job)
	says(cluster, job, 2, 0)
	cluster.Converged(job)

	// What somebody changes of the DaemonSet is repaired.
	work := daemonSetFor(job)
	cluster.Exists(work)
	cluster.Update(work, func() { work.Spec.Template.Spec.InitContainers[0].Image = "other:1" })
	cluster.Matches(daemonSetFor(job))

	// Every node has done it: the DaemonSet goes, and a node that comes later has nothing to do.
	cluster.MakeReady(work)
	says(cluster, job, 2, 2)
	cluster.Gone(daemonSetFor(job))
	if job.Status.CompletionTime == nil {
		t.Error("the status has no completion time")
	}
	cluster.Create(node("c"))
	cluster.Restart()
	cluster.Converged(job)
	cluster.Truthful(job)
	cluster.Gone(daemonSetFor(job))

	cluster.Delete(job)
	cluster.Gone(job)
}

// TestDeletionInTheMiddle stops the work with its DaemonJob.
func TestDeletionInTheMiddle(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	job := newJob()
	cluster.Create(job)
	work := daemonSetFor(job)
	cluster.Exists(work)
	cluster.Delete(job)
	cluster.Gone(job, work)
}

// says waits until the status has so many nodes, and so many that have done the work.
func says(cluster *operatortest.Cluster, job *daemonjobv1.DaemonJob, nodes, succeeded int32) {
	cluster.Eventually(fmt.Sprintf("%d of %d nodes have done it", succeeded, nodes), func() error {
		if cluster.Get(job); job.Status.Nodes != nodes || job.Status.Succeeded != succeeded {
			return fmt.Errorf("the status is %+v", job.Status)
		}
		return nil
	})
}
