package apply

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Two controllers of this runtime may have the same parent. What one of them made is not unowned for
// the other, or they would take it from each other for ever.
func TestOnlyOwnerOfAnObjectIsItsParentWithoutAnotherControllersClaim(t *testing.T) {
	referring := func(uid string) *corev1.ConfigMap {
		isController := true
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "other"}, {UID: "web", Controller: &isController}}, Labels: map[string]string{"label": uid}}}
	}
	claimed := Applier{Claims: func(object client.Object) []Claim {
		if object.GetLabels()["label"] == "web" {
			return []Claim{{Label: "label"}}
		}
		return nil
	}}
	if !claimed.isOnlyOwner(referring(""), "web") {
		t.Error("a controller reference to the parent is that of another owner")
	}
	if claimed.isOnlyOwner(referring("web"), "web") {
		t.Error("the child of another controller with the same parent is unowned")
	}
	if claimed.isOnlyOwner(referring(""), "other") || claimed.isOnlyOwner(new(corev1.ConfigMap), "web") {
		t.Error("an owner that is no controller is the only one")
	}
}
