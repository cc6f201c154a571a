package health

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ofCustomResource returns the health of a custom resource by the conditions of kstatus.
func ofCustomResource(object client.Object) Health {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return failedWith("cannot be read: " + err.Error())
	}
	generation, ok, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
	if ok && generation < object.GetGeneration() {
		return inProgress("has a change that its controller has not seen")
	}
	ready := inProgress("has no condition Ready=True")
	conditions, _, _ := unstructured.NestedSlice(content, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		isTrue, message := condition["status"] == "True", messageOf(condition)
		switch condition["type"] {
		case "Stalled":
			if isTrue {
				return failedWith(cmp.Or(message, "is stalled"))
			}
		case "Reconciling":
			if isTrue {
				return inProgress(cmp.Or(message, "is reconciling"))
			}
		case "Ready":
			if isTrue {
				ready = Health{State: Ready}
			} else if message != "" {
				ready = inProgress(message)
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
