package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Access reaches into the statuses of one kind of parents. A status is a pointer to a
// struct. A nil Access means that the runtime writes no status.
type Access struct {
	Of   func(parent client.Object) any // the parent's own status
	Copy func(status any) any           // a shallow copy
	// Conditions and ObservedGeneration return these fields; nil where there is none.
	Conditions         func(status any) *[]metav1.Condition
	ObservedGeneration func(status any) *int64
}

// HasConditions reports whether the statuses have conditions that the runtime writes.
func (a *Access) HasConditions() bool { return a != nil && a.Conditions != nil }

// GenerationOf returns the generation that a parent's status shows as observed; 0 if it shows
// none.
func (a *Access) GenerationOf(parent client.Object) int64 {
	if a == nil || a.ObservedGeneration == nil {
		return 0
	}
	return *a.ObservedGeneration(a.Of(parent))
}

// FindCondition returns the condition of a type that a parent's status has, or nil.
func (a *Access) FindCondition(parent client.Object, conditionType string) *metav1.Condition {
	if !a.HasConditions() {
		return nil
	}
	return meta.FindStatusCondition(*a.Conditions(a.Of(parent)), conditionType)
}

// IsReady reports whether a parent's status says that it is ready in its generation.
func (a *Access) IsReady(parent client.Object) bool {
	return a.HasConditions() && IsReady(*a.Conditions(a.Of(parent)), parent.GetGeneration())
}
