package reconcile

import (
	"context"
	"fmt"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// A finished Job with ttlSecondsAfterFinished is deleted by a controller of Kubernetes. If Sync still desires it, it is
// created again and runs again, which an author seldom wants. That is no interference, and is said from the first time on.

// reasonRunsAgain is the reason of an Event about a Job that has expired and is created again.
const reasonRunsAgain = "RunsAgain"

// isExpired reports whether an object that has left the cache is a Job which was to delete itself, and had finished.
func isExpired(object client.Object) bool {
	job, isJob := object.(*batchv1.Job)
	return isJob && job.Spec.TTLSecondsAfterFinished != nil && health.IsFinished(job)
}

// hasExpired reports whether the last object of a name that has left the cache was an expired Job.
func (l *missingChildren) hasExpired(key apply.Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expired[key]
}

// forgetExpired forgets the expired Jobs that are not desired any more.
func (l *missingChildren) forgetExpired(desired map[apply.Key]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.expired, func(key apply.Key, _ bool) bool { return !desired[key] })
}

// warnAboutExpired records an Event about an expired Job that was created again.
func (r *run) warnAboutExpired(ctx context.Context, key apply.Key) {
	if r.state.missing.hasExpired(key) {
		r.warn(ctx, reasonRunsAgain, fmt.Sprintf("%s was deleted after its ttlSecondsAfterFinished, and Sync still desires it, so that it runs again: "+
			"leave the field out, or have the status remember that the Job has run", key))
	}
}
