package simulation

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Parent remembers of the parent what the runtime would.
type Parent struct {
	spec        map[string]any // as of the last step
	labels      map[string]string
	annotations map[string]string
	conditions  []string // the author's
}

// Observe increases the generation of the parent if its spec is not that of the last step.
func (p *Parent) Observe(parent client.Object) {
	spec := specOf(contentOf(parent))
	switch {
	case parent.GetGeneration() == 0:
		parent.SetGeneration(1)
	case p.spec != nil && !reflect.DeepEqual(p.spec, spec):
		parent.SetGeneration(parent.GetGeneration() + 1)
	}
	p.spec = spec
}

// SetStatus sets the author's part of the status, and observedGeneration. The conditions stay as they
// are. A status of another Go type than that of the field Status is left out.
func (p *Parent) SetStatus(parent client.Object, status any) {
	field, ok := statusOf(parent)
	if !ok {
		return
	}
	if set := reflect.Indirect(reflect.ValueOf(status)); set.IsValid() && set.Type() == field.Type() {
		conditions := conditionsOf(field)
		var kept []metav1.Condition
		if conditions != nil {
			kept = *conditions
		}
		field.Set(set)
		if conditions != nil {
			*conditions = kept
		}
	}
	if generation := field.FieldByName("ObservedGeneration"); generation.IsValid() && generation.Kind() == reflect.Int64 {
		generation.SetInt(parent.GetGeneration())
	}
}

// SetConditions sets the author's conditions. Nil leaves them alone.
func (p *Parent) SetConditions(parent client.Object, set []metav1.Condition, now metav1.Time) {
	field, ok := statusOf(parent)
	if !ok || set == nil {
		return
	}
	conditions := conditionsOf(field)
	if conditions == nil {
		return
	}
	left := slices.Clone(p.conditions)
	p.conditions = nil
	for _, condition := range set {
		condition.ObservedGeneration, condition.LastTransitionTime = parent.GetGeneration(), metav1.Time{}
		if old := meta.FindStatusCondition(*conditions, condition.Type); old == nil || old.Status != condition.Status {
			condition.LastTransitionTime = now
		}
		meta.SetStatusCondition(conditions, condition)
		p.conditions = append(p.conditions, condition.Type)
	}
	for _, name := range left {
		if !slices.Contains(p.conditions, name) {
			meta.RemoveStatusCondition(conditions, name)
		}
	}
}

// SetMetadata sets the labels and annotations that the author sets. Nil leaves them alone.
func (p *Parent) SetMetadata(parent client.Object, labels, annotations map[string]string) {
	if labels != nil {
		parent.SetLabels(replaced(parent.GetLabels(), p.labels, labels))
		p.labels = labels
	}
	if annotations != nil {
		parent.SetAnnotations(replaced(parent.GetAnnotations(), p.annotations, annotations))
		p.annotations = annotations
	}
}

// replaced returns a map with entries in place of earlier ones.
func replaced(all, earlier, now map[string]string) map[string]string {
	result := map[string]string{}
	for key, value := range all {
		if _, wasSet := earlier[key]; !wasSet {
			result[key] = value
		}
	}
	for key, value := range now {
		result[key] = value
	}
	return result
}

// Content returns the parent as JSON values.
func Content(parent client.Object) map[string]any { return contentOf(parent) }

func statusOf(parent client.Object) (reflect.Value, bool) {
	of := reflect.ValueOf(parent).Elem()
	if of.Kind() != reflect.Struct {
		return of, false
	}
	field := of.FieldByName("Status")
	return field, field.IsValid() && field.Kind() == reflect.Struct
}

func conditionsOf(status reflect.Value) *[]metav1.Condition {
	field := status.FieldByName("Conditions")
	if !field.IsValid() {
		return nil
	}
	conditions, _ := field.Addr().Interface().(*[]metav1.Condition)
	return conditions
}
