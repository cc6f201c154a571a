package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/health"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// The reasons of an error in the Ready condition.
const (
	reasonPanicked     = "SyncPanicked"
	reasonInternal     = "InternalError" // a panic elsewhere
	reasonTimedOut     = "SyncTimedOut"
	reasonFailed       = "SyncFailed"
	reasonInvalid      = "InvalidChild" // refused, here or by the API server
	reasonNameConflict = "NameConflict"
	reasonForbidden    = "Forbidden"
	reasonValueGone    = "ValueGone"  // a generated value of a Secret
	reasonUnreadable   = "Unreadable" // a child or related object; also of an Event, on a parent
	reasonApply        = "ApplyFailed"
	reasonInvalidPatch = "InvalidPatch" // refused here
	reasonPatch        = "PatchFailed"  // of a related object
)

// The reasons of Ready=False beside those of errors and those of package status.
const (
	reasonChildFailed = "ChildFailed"
	reasonConflict    = "FieldConflict" // also of an Event, where no condition can say so
	reasonHotLoop     = "HotLoop"       // likewise
	reasonCacheStale  = "CacheStale"
	reasonPruneHeld   = "PruneHeld" // also of an Event, on one parent for all of them
)

// The reasons of Ready=True where not every child is as desired.
const (
	reasonOutdated = "Outdated"           // children wait until somebody deletes them
	reasonAltered  = "ChangedByAdmission" // the API server's admission changes each write
)

// readyConditions returns the conditions that say how the parent and its children are.
func (r report) readyConditions() []metav1.Condition {
	switch {
	case r.err != nil && isTerminal(r.err):
		return notReady(status.Stalled, errorReason(r.err), r.errorText())
	case r.err != nil:
		return notReady(status.Reconciling, errorReason(r.err), r.errorText())
	case r.heldPrunes != "":
		return notReady(status.Stalled, reasonPruneHeld, truncateText(r.heldPrunes))
	case r.isFinalizing:
		return notReady(status.Reconciling, status.ReasonFinalizing, "is being deleted")
	}
	var failed, inProgress []string
	for _, child := range r.children {
		if child.isHistory || child.isApart {
			continue
		}
		current := child.currentHealth()
		text := child.Kind + " " + child.name.Name + " " + current.Message
		switch current.State {
		case health.Failed:
			failed = append(failed, text)
		case health.InProgress:
			inProgress = append(inProgress, text)
		}
	}
	conflicts := r.conflictTexts()
	switch {
	case len(failed) > 0:
		return notReady(status.Stalled, reasonChildFailed, joinSome(failed))
	case len(conflicts) > 0:
		return notReady(status.Reconciling, r.conflictReason(), joinSome(conflicts))
	case len(inProgress) > 0:
		return notReady(status.Reconciling, status.ReasonProgressing, joinSome(inProgress))
	}
	return []metav1.Condition{r.readyTrueCondition()}
}

// errorText returns the message of the error. That of a parent which is being deleted says so.
func (r report) errorText() string {
	text := errorMessage(r.err)
	if !r.isFinalizing {
		return text
	}
	waits := ": "
	if errors.As(r.err, new(errChild)) || errors.As(r.err, new(errDeletion)) || errors.As(r.err, new(errPatch)) {
		waits = ", and waits for "
	}
	text = "is being deleted" + waits + text
	if r.hasFinalized {
		text += " (Finalize has returned Finalized)"
	}
	return truncateText(text)
}

// readyTrueCondition returns the Ready condition of a parent all of whose children are ready, and as
// desired but for what waits for somebody.
func (r report) readyTrueCondition() metav1.Condition {
	var outdated, altered, staying []string
	for _, child := range r.children {
		if child.isOutdated {
			outdated = append(outdated, child.key().String())
		}
		if len(child.altered) > 0 {
			altered = append(altered, fmt.Sprintf("%s: %s", child.key(), joinPaths(child.altered)))
		}
	}
	for _, child := range r.children {
		if child.staying != "" {
			staying = append(staying, fmt.Sprintf("%s: %s", child.key(), child.staying))
		}
	}
	for _, patch := range r.patches {
		if len(patch.altered) > 0 {
			altered = append(altered, fmt.Sprintf("%s: %s", patch.key, joinPaths(patch.altered)))
		}
	}
	ready := metav1.Condition{Type: status.Ready, Status: metav1.ConditionTrue, Reason: "Ready", Message: "every child is as desired and ready"}
	if len(altered) > 0 {
		ready.Reason, ready.Message = reasonAltered, "every child is as desired and ready, but where admission changes it: "+joinSome(altered)
	}
	if len(outdated) > 0 {
		ready.Reason, ready.Message = reasonOutdated, "every child is ready; outdated until somebody deletes them (OnDelete): "+joinSome(outdated)
	}
	if len(staying) > 0 {
		ready.Message = truncateText(ready.Message + "; fields of others stay in what was taken over, unless takeOverFrom names their managers: " + joinSome(staying))
	}
	return ready
}

// notReady returns Ready=False, and the condition of a type that is true.
func notReady(conditionType, reason, message string) []metav1.Condition {
	return []metav1.Condition{
		{Type: status.Ready, Status: metav1.ConditionFalse, Reason: reason, Message: message},
		{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message},
	}
}

// conflictTexts returns a text for each object that others keep changing.
func (r report) conflictTexts() (texts []string) {
	if r.metadataConflict != nil {
		texts = append(texts, repeatedWriteText("the parent's own metadata", *r.metadataConflict))
	}
	for _, child := range r.children {
		if child.conflict != nil && !child.conflict.Recreates {
			texts = append(texts, repeatedWriteText(child.key().String(), *child.conflict))
		}
	}
	for _, patch := range r.patches {
		if patch.conflict != nil {
			texts = append(texts, repeatedWriteText(patch.key.String(), *patch.conflict))
		}
	}
	for _, deletion := range r.deletionConflicts {
		texts = append(texts, deletion.text())
	}
	return texts
}

// conflictReason returns the reason of the conflicts: Sync's own, or those with others.
func (r report) conflictReason() string {
	isWithOthers := func(c child) bool { return c.conflict != nil && !c.conflict.Returns && !c.conflict.Recreates }
	isOfOthers := func(p patchResult) bool { return p.conflict != nil && !p.conflict.Returns }
	if r.metadataConflict == nil && len(r.deletionConflicts) == 0 && !slices.ContainsFunc(r.children, isWithOthers) && !slices.ContainsFunc(r.patches, isOfOthers) {
		return reasonHotLoop
	}
	return reasonConflict
}

// repeatedWriteText says who keeps changing what of an object.
func repeatedWriteText(object string, conflict backoff.Conflict) string {
	switch {
	case conflict.Expired:
		return object + ": its ttlSecondsAfterFinished deletes it once it has finished, and it is recreated less and less often until that stops"
	case conflict.Deleted:
		return object + ": somebody keeps deleting it, and it is recreated less and less often until that stops"
	case conflict.Returns:
		return object + ": Sync keeps returning to what it desired before, which is written less and less often until that stops"
	}
	what := cmp.Or(joinPaths(conflict.Paths), "fields of this operator's")
	who := "somebody"
	if conflict.Manager != "" {
		who = fmt.Sprintf("field manager %q", conflict.Manager)
	}
	return fmt.Sprintf("%s: %s keeps changing %s, which is repaired less and less often until it stops", object, who, what)
}

// joinPaths joins the first few paths.
func joinPaths(paths []string) string { return joinFirst(paths, ", ", " and %d more") }

// joinSome joins the first few texts.
func joinSome(texts []string) string { return joinFirst(texts, "; ", "; and %d more") }

// joinFirst joins the first texts. more is the format of how many others there are.
func joinFirst(texts []string, separator, more string) string {
	const most = 3
	if len(texts) <= most {
		return strings.Join(texts, separator)
	}
	return strings.Join(texts[:most], separator) + fmt.Sprintf(more, len(texts)-most)
}
