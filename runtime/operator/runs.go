package operator

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// Runs are the names of the runs to keep, for [DesiredSet.Keep], where the limits are not the same for
// all parents; otherwise write history in the spec file. They are all that have not finished, and of those
// that have, the latest that succeeded and the latest that failed. A run has finished as
// [Snapshot.Finished] says; anything but a Job or a Pod also when it is ready or has failed, unless
// the spec file says finishedWhen. One that has finished and is ready has succeeded. A name is written
// as namespace/name where the run has a namespace.
func Runs[T client.Object](runs Snapshot[T], limit History) []string {
	var names []string
	for _, run := range reconcile.KeepRuns(runs.items, limit, runs.rules, runs.isRunFinished) {
		names = append(names, strings.TrimPrefix(client.ObjectKeyFromObject(run).String(), "/"))
	}
	return names
}

// isRunFinished reports whether a run has finished.
func (s Snapshot[T]) isRunFinished(run T) bool {
	_, isPod := client.Object(run).(*corev1.Pod)
	_, isJob := client.Object(run).(*batchv1.Job)
	if isPod || isJob || s.rules.FinishedWhen != nil {
		return s.rules.IsFinished(run)
	}
	return s.rules.Of(run).State != health.InProgress
}
