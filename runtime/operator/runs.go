package operator

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// Runs are the names of the runs to keep, for [DesiredSet.Keep]: all that have
// not finished, and of those that have, the latest, as many as the limit says.
// A Job has finished when it is complete or has failed, a Pod when it succeeded
// or failed, and anything else when it is ready or has failed. A name is
// written as namespace/name where the run has a namespace.
func Runs[T client.Object](runs Snapshot[T], limit int) []string {
	var names []string
	var finished []T
	for _, run := range runs.items {
		if isFinished(runs.rules, run) {
			finished = append(finished, run)
			continue
		}
		names = append(names, strings.TrimPrefix(client.ObjectKeyFromObject(run).String(), "/"))
	}
	slices.SortStableFunc(finished, func(a, b T) int {
		return b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time)
	})
	for _, run := range finished[:min(len(finished), max(limit, 0))] {
		names = append(names, strings.TrimPrefix(client.ObjectKeyFromObject(run).String(), "/"))
	}
	return names
}

// isFinished reports whether a run has finished. The rules are those by which one of another kind than
// Job and Pod is ready.
func isFinished(rules health.Rules, run client.Object) bool {
	switch run.(type) {
	case *corev1.Pod, *batchv1.Job:
		return health.IsFinished(run)
	}
	return rules.Of(run).State != health.InProgress
}
