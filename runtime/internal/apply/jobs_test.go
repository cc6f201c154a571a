package apply

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// endJobs deletes the Jobs of the namespace before the namespace is. The cluster
// deletes the Pods of a namespace before anything else, and the controller of Jobs
// keeps those of a living Job with a podFailurePolicy until they have ended: no Pod
// ever does that has no node, so the namespace would stay.
func (s *server) endJobs(ctx context.Context) {
	s.t.Helper()
	var jobs batchv1.JobList
	if err := s.List(ctx, &jobs, client.InNamespace(s.namespace)); err != nil {
		s.t.Error(err)
	}
	if len(jobs.Items) == 0 {
		return
	}
	err := s.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(s.namespace), client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil {
		s.t.Error(err)
	}
	var pods corev1.PodList
	for range 1000 {
		if err := s.List(ctx, &pods, client.InNamespace(s.namespace)); err != nil {
			s.t.Error(err)
		}
		if len(pods.Items) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Errorf("%s keeps %d Pods of Jobs that are gone", s.namespace, len(pods.Items))
}
