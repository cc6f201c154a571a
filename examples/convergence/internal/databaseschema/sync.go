// Package databaseschema brings databases to another version of their tables, step by step.
package databaseschema

import (
	"cmp"
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	convergencev1 "example.com/convergence/api/v1"
)

// Reconciler has nothing: all that Sync needs is in its request.
type Reconciler struct{}

// New makes the controller when the operator starts.
func New(operator.Manager) (operator.Controller, error) {
	return Controller(&Reconciler{}), nil
}

// Sync wants the Job of the next step towards the desired version, and records the version in the
// status once the Job has succeeded. The next reconcile does not want that Job any more, but the one
// of the step after it.
//
// It has no list of steps to work through. Where the database is stands in the status, where it
// should be in the spec. So a spec that changes halfway needs no code of its own: the next step leads
// towards the new version.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	schema, want := req.Parent, new(Desired)
	status := schema.Status

	from, to := status.Version, nextVersion(req)
	if to != from {
		job := jobFor(schema, from, to)
		_, failed := req.Children.Jobs.Failed(job.Name)
		want.Jobs.Add(job, operator.RecreateIf(failed))
		if req.Children.Jobs.Finished(job.Name) && !failed {
			status.Version = to
		}
	}
	status.StepsLeft = max(schema.Spec.Version-status.Version, status.Version-schema.Spec.Version)
	return &Response{Children: want, Status: &status}, nil
}

// nextVersion returns the version that the next step leads to: one up, one down, or none. A step that
// has begun and has not failed comes to its end first, whatever is desired now.
func nextVersion(req *Request) int32 {
	from := req.Parent.Status.Version
	for _, to := range []int32{from - 1, from + 1} {
		name := jobName(req.Parent, from, to)
		_, exists := req.Children.Jobs.Get(name)
		if _, failed := req.Children.Jobs.Failed(name); exists && !failed {
			return to
		}
	}
	return from + int32(cmp.Compare(req.Parent.Spec.Version, from))
}

func jobName(schema *convergencev1.DatabaseSchema, from, to int32) string {
	return fmt.Sprintf("%s-%d-to-%d", schema.Name, from, to)
}

func jobFor(schema *convergencev1.DatabaseSchema, from, to int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: jobName(schema, from, to)},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name:  "migrate",
				Image: schema.Spec.Image,
				Args:  []string{"migrate", fmt.Sprintf("--from=%d", from), fmt.Sprintf("--to=%d", to)},
			}},
		}}},
	}
}
