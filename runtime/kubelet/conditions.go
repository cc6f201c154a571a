package kubelet

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SetReady sets the conditions of a custom resource that is ready: Ready=True, and Stalled=False if
// it has that condition. If the status says which generation it speaks of, it is the present one. The rest of
// the status stays. An error says that status.conditions is no list.
func SetReady(resource *unstructured.Unstructured, now time.Time) error {
	return setConditions(resource, now, map[string]string{"Ready": "True", "Stalled": ""}, "MadeReady", "")
}

// SetFailed sets the conditions of a custom resource that has failed, as kstatus knows them:
// Stalled=True and Ready=False.
func SetFailed(resource *unstructured.Unstructured, now time.Time) error {
	return setConditions(resource, now, map[string]string{"Ready": "False", "Stalled": "True"}, "MadeFailed", "has failed")
}

// setConditions sets conditions by their types. One without a status is set to False, and only if
// the resource has it.
func setConditions(resource *unstructured.Unstructured, now time.Time, statuses map[string]string, reason, message string) error {
	conditions, _, err := unstructured.NestedSlice(resource.Object, "status", "conditions")
	if err != nil {
		return errors.New("status.conditions is no list")
	}
	for _, conditionType := range []string{"Ready", "Stalled"} {
		status := statuses[conditionType]
		set := map[string]any{
			"type": conditionType, "status": status, "reason": reason, "message": message,
			"lastTransitionTime": now.UTC().Format(time.RFC3339),
		}
		i := indexOfCondition(conditions, conditionType)
		switch {
		case status == "" && i < 0:
		case i < 0:
			conditions = append(conditions, set)
		default:
			if status == "" {
				set["status"] = "False"
			}
			conditions[i] = set
		}
	}
	if _, isSet, _ := unstructured.NestedInt64(resource.Object, "status", "observedGeneration"); isSet {
		_ = unstructured.SetNestedField(resource.Object, resource.GetGeneration(), "status", "observedGeneration") // status is a map
	}
	return unstructured.SetNestedSlice(resource.Object, conditions, "status", "conditions")
}

func indexOfCondition(conditions []any, conditionType string) int {
	for i, condition := range conditions {
		if condition, ok := condition.(map[string]any); ok && condition["type"] == conditionType {
			return i
		}
	}
	return -1
}
