package reconcile

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// KeepRuns returns the objects that a history keeps: all that have not finished, and of those that
// have, the latest that are ready, and the latest that are not.
func KeepRuns[T client.Object](runs []T, limit declared.History, rules health.Rules, isFinished func(T) bool) (kept []T) {
	var succeeded, failed []T
	for _, run := range runs {
		switch {
		case !isFinished(run):
			kept = append(kept, run)
		case rules.Of(run).State == health.Ready:
			succeeded = append(succeeded, run)
		default:
			failed = append(failed, run)
		}
	}
	return append(append(kept, latestRuns(succeeded, limit.Succeeded)...), latestRuns(failed, limit.Failed)...)
}

// latestRuns returns the objects that were created last, at most as many as the limit says.
func latestRuns[T client.Object](runs []T, limit int) []T {
	slices.SortStableFunc(runs, func(a, b T) int { return b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time) })
	return runs[:min(len(runs), max(limit, 0))]
}

// splitHistory splits undesired children into those that stay as the history of their kind and those
// that do not. The history ends when the parent is deleted.
func (s *subject) splitHistory(undesired []child) (pruned, history []child) {
	if len(undesired) == 0 || s.isFinalizing() {
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
		for _, object := range KeepRuns(objects, *kind.History, kind.healthRules(), kind.IsFinished) {
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
