package health

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A status speaks of a generation of its object: by status.observedGeneration, or by the observedGeneration of
// a condition. What names neither speaks of the present one. A status.observedGeneration counts for
// status.conditions, too, since many controllers write it, and that of a condition only when the condition
// changes. Conditions further down, as in status.parents of an HTTPRoute, are those of other controllers.

// unseenChange is why an object is not ready whose status speaks of an earlier generation.
const unseenChange = "has a change that its controller has not seen"

// isFormer reports whether a status or a condition speaks of an earlier generation than the present one.
func isFormer(fields map[string]any, generation int64) bool {
	observed, isSet := fields["observedGeneration"].(int64)
	return isSet && observed > 0 && observed < generation
}

// dependsOnFormer reports whether a rule that holds for an object does so because of what its status says of
// an earlier generation: the rule fails if that says something else.
func dependsOnFormer(rule func(client.Object) (bool, error), object client.Object) bool {
	if _, isMetadata := object.(*metav1.PartialObjectMetadata); isMetadata || object.GetGeneration() < 2 {
		return false
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return true
	}
	status, _, _ := unstructured.NestedMap(content, "status") // a copy
	if isFormer(status, object.GetGeneration()) {
		return !holdsWith(rule, object, content, nil)
	}
	_, isPresent := status["observedGeneration"]
	for _, other := range []map[string]string{{"True": "False", "False": "True"}, {"True": "Unknown", "False": "Unknown"}} {
		changed := runtime.DeepCopyJSON(status)
		if !changeFormer(changed, object.GetGeneration(), other, isPresent) {
			return false
		}
		if !holdsWith(rule, object, content, changed) {
			return true
		}
	}
	return false
}

// changeFormer changes the conditions below a value that speak of an earlier generation, and reports whether
// there are any. It leaves those of the value itself with keepsOwn.
func changeFormer(value any, generation int64, other map[string]string, keepsOwn bool) (changed bool) {
	switch value := value.(type) {
	case map[string]any:
		if state, ok := value["status"].(string); ok && isFormer(value, generation) && other[state] != "" {
			value["status"], changed = other[state], true
		}
		for name, field := range value {
			if name != "conditions" || !keepsOwn {
				changed = changeFormer(field, generation, other, false) || changed
			}
		}
	case []any:
		for _, item := range value {
			changed = changeFormer(item, generation, other, false) || changed
		}
	}
	return changed
}

// holdsWith reports whether a rule holds for an object with another status; nil: with none.
func holdsWith(rule func(client.Object) (bool, error), object client.Object, content, status map[string]any) bool {
	other := make(map[string]any, len(content))
	for name, field := range content {
		if name != "status" {
			other[name] = field
		}
	}
	if status != nil {
		other["status"] = status
	}
	changed, ok := reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
	if !ok {
		return false
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(other, changed); err != nil {
		return false
	}
	isTrue, err := rule(changed)
	return isTrue && err == nil
}
