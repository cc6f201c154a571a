package status

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types of the conditions that the runtime sets, as kstatus knows them. All but Ready
// exist only while they are true.
const (
	Ready       = "Ready"
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	Suspended   = "Suspended"
)

// ReconcileHandled is the type of the condition that the runtime sets once it has handled a
// request of a user. Its message is the token of that request, and it stays.
const ReconcileHandled = "ReconcileHandled"

// The reasons of Ready=False that an author's Ready may replace.
const (
	ReasonProgressing = "Progressing"
	ReasonFinalizing  = "Finalizing"
)

// IsReady reports whether conditions say that a generation is ready; generation 0 stands
// for any.
func IsReady(conditions []metav1.Condition, generation int64) bool {
	condition := meta.FindStatusCondition(conditions, Ready)
	return condition != nil && condition.Status == metav1.ConditionTrue && (generation == 0 || condition.ObservedGeneration == generation)
}

// Merge is what [MergeConditions] puts together.
type Merge struct {
	Existing, Runtime, Author []metav1.Condition
	// IsOurs reports whether an earlier reconcile set a condition of this type.
	IsOurs     func(conditionType string) bool
	Failed     bool // the reconcile failed
	Generation int64
	Now        time.Time
}

// MergeConditions sets the runtime's and the author's conditions among those that exist, of which it keeps the
// first of each type: a CRD that does not declare the list as a map lets several in. It
// drops conditions of an earlier reconcile that neither sets any more. An author's condition
// replaces the runtime's of its type, unless the reconcile failed or the runtime's must stay.
func MergeConditions(m Merge) []metav1.Condition {
	seen := map[string]bool{}
	merged := slices.DeleteFunc(slices.Clone(m.Existing), func(c metav1.Condition) bool {
		isRepeated := seen[c.Type]
		seen[c.Type] = true
		ofRuntime := c.Type == Ready || c.Type == Reconciling || c.Type == Stalled || c.Type == Suspended
		ofAuthor := m.Author != nil && c.Type != ReconcileHandled && m.IsOurs(c.Type)
		return isRepeated || (ofRuntime || ofAuthor) && meta.FindStatusCondition(m.Runtime, c.Type) == nil && meta.FindStatusCondition(m.Author, c.Type) == nil
	})
	set := func(c metav1.Condition) {
		c.ObservedGeneration = m.Generation
		c.Reason = cmp.Or(c.Reason, c.Type)
		c.Status = cmp.Or(c.Status, metav1.ConditionUnknown)
		c.LastTransitionTime = metav1.NewTime(m.Now)
		meta.SetStatusCondition(&merged, c)
	}
	for _, condition := range m.Runtime {
		if m.Failed || !isReplaced(condition, m.Author) {
			set(condition)
		}
	}
	for _, condition := range m.Author {
		ofRuntime := meta.FindStatusCondition(m.Runtime, condition.Type)
		if ofRuntime == nil || !m.Failed && isReplaced(*ofRuntime, m.Author) {
			set(condition)
		}
	}
	return merged
}

// isReplaced reports whether the author has a condition in place of one of the runtime's.
// The author's Ready cannot make a parent ready that is not, and cannot hide a reason that
// names what is wrong with a child.
func isReplaced(ofRuntime metav1.Condition, author []metav1.Condition) bool {
	condition := meta.FindStatusCondition(author, ofRuntime.Type)
	switch {
	case condition == nil:
		return false
	case ofRuntime.Type != Ready || ofRuntime.Status == metav1.ConditionTrue:
		return true
	}
	return condition.Status != metav1.ConditionTrue && (ofRuntime.Reason == ReasonProgressing || ofRuntime.Reason == ReasonFinalizing)
}
