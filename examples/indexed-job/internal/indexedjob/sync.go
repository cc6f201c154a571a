// Package indexedjob runs the Pods of every IndexedJob until each index has succeeded.
package indexedjob

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	v1 "example.com/indexed-job/api/v1"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants the Pods that exist, whether they run or have ended, and as many new ones as
// spec.parallelism allows, the lowest index first. A Pod that has failed is recreated.
//
// Once all Pods have succeeded, the condition Complete says so, and Sync answers nothing any more:
// the status and the Pods stay as they are, and a Pod that somebody deletes does not run again.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	job, pods := req.Parent, req.Children.Pods
	if meta.IsStatusConditionTrue(job.Status.Conditions, "Complete") {
		return &Response{}, nil
	}
	want, status := new(Desired), countPods(req)
	free := job.Spec.Parallelism - status.Active - status.Failed
	for index := range job.Spec.Completions {
		pod := podFor(job, index)
		if _, exists := pods.Get(pod.Name); !exists {
			if free <= 0 {
				continue
			}
			free--
		}
		_, hasFailed := pods.Failed(pod.Name)
		want.Pods.Add(pod, operator.RecreateIf(hasFailed))
	}
	return &Response{
		Children:   want,
		Status:     status,
		Conditions: []metav1.Condition{completion(job, status)},
	}, nil
}

// countPods returns the status with the numbers of Pods in each phase.
func countPods(req *Request) *v1.IndexedJobStatus {
	status := new(v1.IndexedJobStatus)
	for pod := range req.Children.Pods.All() {
		switch pod.Status.Phase {
		case corev1.PodSucceeded:
			status.Succeeded++
		case corev1.PodFailed:
			status.Failed++
		default:
			status.Active++
		}
	}
	return status
}

// completion returns the condition Complete.
func completion(job *v1.IndexedJob, status *v1.IndexedJobStatus) metav1.Condition {
	condition := metav1.Condition{
		Type: "Complete", Status: metav1.ConditionFalse, Reason: "Running",
		Message: fmt.Sprintf("%d of %d Pods have succeeded", status.Succeeded, job.Spec.Completions),
	}
	if status.Succeeded == job.Spec.Completions {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Succeeded"
	}
	return condition
}

// podFor returns the Pod of an index, whose containers read it in the variable JOB_INDEX.
func podFor(job *v1.IndexedJob, index int32) *corev1.Pod {
	template := job.Spec.Template.DeepCopy()
	for i := range template.Spec.Containers {
		container := &template.Spec.Containers[i]
		variable := corev1.EnvVar{Name: "JOB_INDEX", Value: strconv.Itoa(int(index))}
		container.Env = append(container.Env, variable)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("%s-%d", job.Name, index),
			Labels:      template.Labels,
			Annotations: template.Annotations,
		},
		Spec: template.Spec,
	}
}
