package reconcile

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// IsFinished reports whether an object has finished, by the author's rule, or else as a Job that is
// complete or has failed, or a Pod that succeeded or failed.
func IsFinished(rules declared.Rules, object client.Object) bool {
	if rules.FinishedWhen == nil {
		return health.IsFinished(object)
	}
	isFinished, err := rules.FinishedWhen(object)
	return isFinished && err == nil
}

// KeepRuns returns the objects that a history keeps: all that have not finished, and of those that
// have, the latest that are ready, and the latest that are not.
func KeepRuns[T client.Object](runs []T, limit declared.History, rules declared.Rules, isFinished func(T) bool) (kept []T) {
	var succeeded, failed []T
	for _, run := range runs {
		switch {
		case !isFinished(run):
			kept = append(kept, run)
		case HealthOf(rules.ReadyWhen, run).State == health.Ready:
			succeeded = append(succeeded, run)
		default:
			failed = append(failed, run)
		}
	}
	return append(append(kept, latest(succeeded, limit.Succeeded)...), latest(failed, limit.Failed)...)
}

// latest returns the objects that were created last, at most as many as the limit says.
func latest[T client.Object](runs []T, limit int) []T {
	slices.SortStableFunc(runs, func(a, b T) int { return b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time) })
	return runs[:min(len(runs), max(limit, 0))]
}

// splitHistory splits undesired children into those that stay as the history of their kind and those
// that do not. The history ends when the parent is deleted.
func (s *subject) splitHistory(undesired []child) (pruned, history []child) {
	if s.isFinalizing() {
		return undesired, nil
	}
	runs := map[*childKind][]client.Object{}
	for _, child := range undesired {
		if child.History != nil {
			runs[child.childKind] = append(runs[child.childKind], child.object)
		}
	}
	stays := map[client.Object]bool{}
	for kind, objects := range runs {
		isFinished := func(object client.Object) bool { return IsFinished(kind.Rules, object) }
		for _, object := range KeepRuns(objects, *kind.History, kind.Rules, isFinished) {
			stays[object] = true
		}
	}
	for _, child := range undesired {
		if child.isHistory = stays[child.object]; child.isHistory {
			history = append(history, child)
		} else {
			pruned = append(pruned, child)
		}
	}
	return pruned, history
}
