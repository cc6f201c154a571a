package daemonjob

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	daemonjobv1 "example.com/daemon-job/api/v1"
)

func newJob() *daemonjobv1.DaemonJob {
	return &daemonjobv1.DaemonJob{
		ObjectMeta: metav1.ObjectMeta{Name: "clean"},
		Spec: daemonjobv1.DaemonJobSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "clean", Image: "cleaner:1"}}},
		}},
	}
}

// set is the DaemonSet of a DaemonJob, which is done on some of its nodes.
func set(nodes, succeeded int32) *appsv1.DaemonSet {
	object := daemonSetFor(newJob())
	object.Status = appsv1.DaemonSetStatus{
		DesiredNumberScheduled: nodes, CurrentNumberScheduled: nodes, UpdatedNumberScheduled: nodes,
		NumberReady: succeeded, NumberAvailable: succeeded, NumberUnavailable: nodes - succeeded,
	}
	return object
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	want, now := new(Desired), time.Unix(1700000000, 0)
	want.DaemonSets.Add(daemonSetFor(newJob()))
	complete := newJob()
	complete.Status = daemonjobv1.DaemonJobStatus{Nodes: 2, Succeeded: 2, CompletionTime: &metav1.Time{Time: now}}
	for _, test := range []struct {
		name     string
		observed []*appsv1.DaemonSet
		status   daemonjobv1.DaemonJobStatus
	}{
		{"the work begins", nil, daemonjobv1.DaemonJobStatus{}},
		{"there is no node", []*appsv1.DaemonSet{set(0, 0)}, daemonjobv1.DaemonJobStatus{}},
		{"one of two nodes", []*appsv1.DaemonSet{set(2, 1)}, daemonjobv1.DaemonJobStatus{Nodes: 2, Succeeded: 1}},
		{"all nodes", []*appsv1.DaemonSet{set(2, 2)}, complete.Status},
	} {
		operatortest.Run(t, new(Reconciler).Sync, operatortest.Case[Request, Response]{
			Name: test.name,
			Given: Request{
				Parent:   newJob(),
				Children: Children{DaemonSets: operator.NewSnapshot(test.observed...)},
				Now:      now,
			},
			Expect: &Response{Children: want, Status: &test.status},
		})
	}
	operatortest.Run(t, new(Reconciler).Sync, operatortest.Case[Request, Response]{
		Name: "a complete one has no DaemonSet any more, and stays complete",
		Given: Request{
			Parent:   complete,
			Children: Children{DaemonSets: operator.NewSnapshot(set(3, 2))}, // a node came meanwhile
			Now:      now.Add(time.Hour),
		},
		Expect: &Response{Children: new(Desired), Status: &complete.Status},
	})
}

func TestDaemonSet(t *testing.T) {
	job := newJob()
	job.Spec.Template.Labels = map[string]string{"of": "the user"}
	job.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "first"}}
	spec := daemonSetFor(job).Spec.Template.Spec
	if len(spec.InitContainers) != 2 || spec.InitContainers[0].Name != "first" || spec.InitContainers[1].Name != "clean" || spec.Containers[0].Name != "pause" {
		t.Errorf("the Pods have %v and %v", spec.InitContainers, spec.Containers)
	}
}
