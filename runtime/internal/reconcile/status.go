package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// writeStatus writes the author's part of the status and the runtime's conditions.
func (w *writer) writeStatus(ctx context.Context, response *declared.Response, conditions []metav1.Condition, failed error) error {
	result, err := w.loop.status.Write(ctx, &w.state.status, status.Change{
		Parent: w.parent, Conditions: conditions, Failed: failed != nil, Now: w.now, IsBehind: errors.Is(failed, errCacheStale),
		Author: status.Author{Status: response.Status, Conditions: response.Conditions, Hash: func() string {
			return strconv.FormatUint(hashParentPart(w.loop.definition.Status, response), 16)
		}},
	})
	return w.recordStatusWrite(ctx, result, err)
}

// recordStatusWrite records what came of a write of the status, and says so in its error.
func (w *writer) recordStatusWrite(ctx context.Context, result status.Result, err error) error {
	w.statusConflict = result.Conflict
	if result.Conflict != nil {
		w.warnAboutConflicts(ctx, repeatedWriteText("the status", *result.Conflict))
	}
	if len(result.Dropped) > 0 {
		w.statusRetry = result.Retry
		text := fmt.Sprintf("the API server drops %s: the CRD is older than the operator, or a webhook takes it away", joinPaths(result.Dropped))
		w.logWarning(ctx, "StatusDropped", text)
	}
	if result.Answer != nil {
		w.recordParentWrite(result.Answer, result.Fields...)
	}
	if err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	return nil
}

// hashParentPart returns a hash of what Sync desires of the parent. It leaves out conditions
// in the status, which are not the author's.
func hashParentPart(access *status.Access, response *declared.Response) uint64 {
	hash := xxhash.New()
	if response.Status != nil {
		copied := response.Status
		if access.HasConditions() {
			copied = access.Copy(copied)
			*access.Conditions(copied) = nil
		}
		_ = json.NewEncoder(hash).Encode(copied) // it has been written
	}
	for _, c := range response.Conditions {
		fmt.Fprintf(hash, "%s %s %s %s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	fmt.Fprint(hash, response.Labels, response.Annotations)
	return hash.Sum64()
}

// hashReasons returns a hash of why Sync says that children are not ready, or not updated, which the
// Ready condition repeats. It is 0 if Sync says so of none.
func hashReasons(sets []declared.DesiredSet) uint64 {
	hash, isEmpty := xxhash.New(), true
	for kind, set := range sets {
		for place, child := range set.Children {
			if child.NotReady != "" || child.NotUpdated != "" {
				isEmpty = false
				fmt.Fprintf(hash, "%d %d %s\n%s\n", kind, place, child.NotReady, child.NotUpdated)
			}
		}
	}
	if isEmpty {
		return 0
	}
	return hash.Sum64()
}
