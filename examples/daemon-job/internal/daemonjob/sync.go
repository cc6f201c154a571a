// Package daemonjob does the work of every DaemonJob once on each node.
package daemonjob

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	daemonjobv1 "example.com/daemon-job/api/v1"
)

// nameLabel selects the Pods of a DaemonJob.
const nameLabel = "daemonjob.example.com/name"

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants a DaemonSet whose init containers do the work, until all nodes have done it. Then it
// records the time. From the next reconcile on, it does not want the DaemonSet any more: so the work
// never begins again, since the record is written before the DaemonSet goes.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	job, want := req.Parent, new(Desired)
	status := job.Status
	if status.CompletionTime != nil {
		return &Response{Children: want, Status: &status}, nil
	}
	set := daemonSetFor(job)
	want.DaemonSets.Add(set)
	if observed, found := req.Children.DaemonSets.Get(set.Name); found {
		status.Nodes = observed.Status.DesiredNumberScheduled
		status.Succeeded = observed.Status.NumberReady
		if status.Nodes > 0 && req.Children.DaemonSets.Ready(set.Name) {
			status.CompletionTime = &metav1.Time{Time: req.Now}
		}
	}
	return &Response{Children: want, Status: &status}, nil
}

// daemonSetFor makes init containers of the containers, since a Pod of a DaemonSet runs forever. It
// is ready when they have succeeded and the container that only waits has started.
func daemonSetFor(job *daemonjobv1.DaemonJob) *appsv1.DaemonSet {
	labels := map[string]string{nameLabel: job.Name}
	template := job.Spec.Template.DeepCopy()
	template.Labels = labels
	template.Spec.InitContainers = append(template.Spec.InitContainers, template.Spec.Containers...)
	template.Spec.Containers = []corev1.Container{{Name: "pause", Image: "registry.k8s.io/pause:3.10"}}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: job.Name + "-dj"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: *template,
		},
	}
}
