package operator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// The conditions that the runtime sets, as kstatus knows them. Reconciling and
// Stalled exist only while they are true.
const (
	ready       = "Ready"
	reconciling = "Reconciling"
	stalled     = "Stalled"
)

// The reasons of an error in the Ready condition.
const (
	reasonPanicked  = "SyncPanicked"
	reasonTimedOut  = "SyncTimedOut"
	reasonFailed    = "SyncFailed"
	reasonInvalid   = "InvalidChild" // refused, here or by the API server
	reasonTaken     = "NameTaken"
	reasonForbidden = "Forbidden"
	reasonApply     = "ApplyFailed"
)

// The reasons of Ready=False beside those of errors.
const (
	reasonChildFailed = "ChildFailed"
	reasonProgressing = "Progressing"
	reasonFinalizing  = "Finalizing"
	reasonConflict    = "FieldConflict" // also of an Event, where no condition can say so
	reasonHotLoop     = "HotLoop"       // likewise
)

// reasonAltered is that of Ready=True where the API server's admission changes what is
// desired, in each write.
const reasonAltered = "ChangedByAdmission"

// shown returns the runtime's conditions at the end of a reconcile, and that of a request
// which it has handled.
func (p *pass) shown(children []child, err error) []metav1.Condition {
	conditions := p.conditions(children, err)
	if err == nil {
		conditions = append(conditions, p.handledRequest()...)
	}
	return conditions
}

// conditions returns the conditions that say how the parent and its children are.
func (p *pass) conditions(children []child, err error) []metav1.Condition {
	switch {
	case err != nil && isTerminal(err):
		return notReady(stalled, reason(err), message(err))
	case err != nil:
		return notReady(reconciling, reason(err), message(err))
	case p.finalizing():
		return notReady(reconciling, reasonFinalizing, "is being deleted")
	}
	var failed, waiting []string
	for _, child := range children {
		state := p.stateOf(child)
		text := child.Kind + " " + child.name.Name + " " + state.Message
		switch state.State {
		case health.Failed:
			failed = append(failed, text)
		case health.InProgress:
			waiting = append(waiting, text)
		}
	}
	conflicts := p.conflictTexts(children)
	switch {
	case len(failed) > 0:
		return notReady(stalled, reasonChildFailed, listed(failed))
	case len(conflicts) > 0:
		return notReady(reconciling, p.conflictReason(children), listed(conflicts))
	case len(waiting) > 0:
		return notReady(reconciling, reasonProgressing, listed(waiting))
	}
	return []metav1.Condition{isAsDesired(children)}
}

// isAsDesired is the Ready condition of a parent all of whose children are as desired,
// or as the API server's admission keeps them.
func isAsDesired(children []child) metav1.Condition {
	var altered []string
	for _, child := range children {
		if len(child.altered) > 0 {
			altered = append(altered, fmt.Sprintf("%s: %s", child.key(), someOf(child.altered)))
		}
	}
	if len(altered) > 0 {
		return metav1.Condition{Type: ready, Status: metav1.ConditionTrue, Reason: reasonAltered,
			Message: "every child is as desired and ready, but where admission changes it: " + listed(altered)}
	}
	return metav1.Condition{Type: ready, Status: metav1.ConditionTrue, Reason: "Ready", Message: "every child is as desired and ready"}
}

// someOf names the first few paths.
func someOf(paths []string) string {
	const most = 3
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}

// conflictTexts returns for each object that others keep changing who does.
func (p *pass) conflictTexts(children []child) (texts []string) {
	if p.held != nil {
		texts = append(texts, conflictText("the parent's own metadata", *p.held))
	}
	for _, child := range children {
		if child.conflict != nil {
			texts = append(texts, conflictText(child.key().String(), *child.conflict))
		}
	}
	return texts
}

// conflictReason returns the reason of the conflicts: Sync's own, or those with others.
func (p *pass) conflictReason(children []child) string {
	others := func(c child) bool { return c.conflict != nil && !c.conflict.Returns }
	if p.held == nil && !slices.ContainsFunc(children, others) {
		return reasonHotLoop
	}
	return reasonConflict
}

// conflictText says who keeps changing what of an object.
func conflictText(object string, conflict backoff.Conflict) string {
	switch {
	case conflict.Deleted:
		return object + ": somebody keeps deleting it, and it is recreated less and less often until that stops"
	case conflict.Returns:
		return object + ": Sync keeps returning to what it desired before, which is written less and less often until that stops"
	}
	what := cmp.Or(someOf(conflict.Paths), "fields of this operator's")
	who := "somebody"
	if conflict.Manager != "" {
		who = fmt.Sprintf("field manager %q", conflict.Manager)
	}
	return fmt.Sprintf("%s: %s keeps changing %s, which is repaired less and less often until it stops", object, who, what)
}

func notReady(why, reason, message string) []metav1.Condition {
	return []metav1.Condition{
		{Type: ready, Status: metav1.ConditionFalse, Reason: reason, Message: message},
		{Type: why, Status: metav1.ConditionTrue, Reason: reason, Message: message},
	}
}

// listed joins the first few texts.
func listed(texts []string) string {
	const most = 3
	if len(texts) <= most {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(texts[:most], "; "), len(texts)-most)
}

// mergeConditions sets the runtime's and the author's conditions among those
// that exist, and drops those that only an earlier pass wanted; ours tells
// which these are. An author's condition replaces the runtime's of its type,
// unless the pass failed or authorReplaces says otherwise.
func mergeConditions(existing, runtime, author []metav1.Condition, ours func(string) bool, failed bool, generation int64, now time.Time) []metav1.Condition {
	merged := slices.DeleteFunc(slices.Clone(existing), func(c metav1.Condition) bool {
		own := c.Type == ready || c.Type == reconciling || c.Type == stalled || c.Type == suspended
		return (own || author != nil && ours(c.Type)) && meta.FindStatusCondition(runtime, c.Type) == nil && meta.FindStatusCondition(author, c.Type) == nil
	})
	set := func(c metav1.Condition) {
		c.ObservedGeneration = generation
		c.Reason = cmp.Or(c.Reason, c.Type)
		c.Status = cmp.Or(c.Status, metav1.ConditionUnknown)
		c.LastTransitionTime = metav1.NewTime(now)
		meta.SetStatusCondition(&merged, c)
	}
	for _, condition := range runtime {
		if failed || !authorReplaces(condition, author) {
			set(condition)
		}
	}
	for _, condition := range author {
		own := meta.FindStatusCondition(runtime, condition.Type)
		if own == nil || !failed && authorReplaces(*own, author) {
			set(condition)
		}
	}
	return merged
}

// authorReplaces reports whether the author has a condition in place of one of the
// runtime's. The author's Ready cannot make a parent ready that is not, and cannot hide
// a reason that names what is wrong with a child.
func authorReplaces(own metav1.Condition, author []metav1.Condition) bool {
	condition := meta.FindStatusCondition(author, own.Type)
	switch {
	case condition == nil:
		return false
	case own.Type != ready || own.Status == metav1.ConditionTrue:
		return true
	}
	return condition.Status != metav1.ConditionTrue && (own.Reason == reasonProgressing || own.Reason == reasonFinalizing)
}

// reason is the reason of an error, for a condition, an Event and a metric.
func reason(err error) string {
	switch {
	case errors.As(err, new(errPanic)):
		return reasonPanicked
	case errors.As(err, new(errTimeout)):
		return reasonTimedOut
	case errors.As(err, new(apply.ErrTaken)):
		return reasonTaken
	case errors.As(err, new(errDesired)):
		return reasonInvalid
	case !errors.As(err, new(errChild)):
		return reasonFailed
	case apierrors.IsForbidden(err):
		return reasonForbidden
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return reasonInvalid
	}
	return reasonApply
}

// message is an error as a person reads it in a status or an Event.
func message(err error) string {
	return cut(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "terminal error: "), "\n", "; "))
}

// cut shortens a text to what an Event has room for.
func cut(text string) string {
	const room = 1000
	if len(text) > room {
		text = strings.ToValidUTF8(text[:room], "") + "…"
	}
	return text
}

// isTerminal reports whether an error waits for a change: one that the author calls
// terminal, or one after which the retries were given up. Of several errors all have
// to be; a child that could not be applied is retried.
func isTerminal(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.As(err, new(errGaveUp)):
		return true
	case errors.As(err, new(errChild)):
		return false
	}
	if marked, ok := err.(interface{ Is(error) bool }); ok && marked.Is(reconcile.TerminalError(nil)) {
		return true
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !isTerminal(err) })
	}
	return isTerminal(errors.Unwrap(err))
}
