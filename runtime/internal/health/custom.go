package health

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ofCustomResource returns the health of a custom resource by the conditions of kstatus, as far as they speak
// of its present generation. One whose
// kind has no status subresource is ready unless a condition says otherwise. Its generation changes
// with its status, so that the generation which its controller has observed says nothing.
func ofCustomResource(object client.Object, lacksStatus bool) Health {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return failed("cannot be read: "+err.Error(), time.Time{})
	}
	generation := object.GetGeneration()
	observed, isSet, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
	if isSet && observed < generation && !lacksStatus {
		return inProgress(unseenChange)
	}
	ready := inProgress("has no condition Ready=True")
	if lacksStatus {
		ready = Health{State: Ready}
	}
	conditions, _, _ := unstructured.NestedSlice(content, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		isTrue, message := condition["status"] == "True", messageOf(condition)
		speaksOfFormer := !isSet && !lacksStatus && isFormer(condition, generation)
		switch condition["type"] {
		case "Stalled":
			switch {
			case isTrue && speaksOfFormer:
				return inProgress(unseenChange)
			case isTrue:
				return failed(cmp.Or(message, "is stalled"), transitionOf(condition))
			}
		case "Reconciling":
			if isTrue {
				return inProgress(cmp.Or(message, "is reconciling"))
			}
		case "Ready":
			switch {
			case speaksOfFormer:
				ready = inProgress(unseenChange)
			case isTrue:
				ready = Health{State: Ready}
			default:
				ready = inProgress(cmp.Or(message, "has no condition Ready=True"))
			}
		case "Established": // a CustomResourceDefinition
			if isTrue {
				ready = Health{State: Ready}
			}
		}
	}
	return ready
}

// messageOf returns the message of a condition, or its reason.
func messageOf(condition map[string]any) string {
	message, _ := condition["message"].(string)
	reason, _ := condition["reason"].(string)
	return cmp.Or(message, reason)
}

// transitionOf returns the last transition of a condition; zero if it does not say.
func transitionOf(condition map[string]any) time.Time {
	text, _ := condition["lastTransitionTime"].(string)
	last, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return last
}
