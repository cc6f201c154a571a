package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// writeStatus writes the author's part of the status and the runtime's conditions. It reports
// whether the parent has changed meanwhile.
func (r *run) writeStatus(ctx context.Context, response *Response, conditions []metav1.Condition, failed error) (isStale bool, err error) {
	result, err := r.loop.status.Write(ctx, &r.state.status, status.Change{
		Parent: r.parent, Conditions: conditions, Failed: failed != nil, Now: r.now,
		Author: status.Author{Status: response.Status, Conditions: response.Conditions, Hash: func() string {
			return strconv.FormatUint(hashParentPart(r.loop.definition.Status, response), 16)
		}},
	})
	r.recordStatusWrite(ctx, result)
	return result.Stale, err
}

// recordStatusWrite records what came of a write of the status.
func (r *run) recordStatusWrite(ctx context.Context, result status.Result) {
	r.statusConflict = result.Conflict
	if result.Conflict != nil {
		r.warnAboutConflicts(ctx, repeatedWriteText("the status", *result.Conflict))
	}
	if result.Cause != nil {
		r.staleCause = result.Cause
	}
	if result.Answer != nil {
		r.recordParentWrite(result.Answer, result.Fields...)
	}
}

// hashParentPart returns a hash of what Sync desires of the parent. It leaves out conditions
// in the status, which are not the author's.
func hashParentPart(access *status.Access, response *Response) uint64 {
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
