// Package configmap builds and reads the ConfigMap that both controllers have in common.
package configmap

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// For returns the ConfigMap of a parent.
func For(parent, data string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: parent + "-data"},
		Data:       map[string]string{"value": data},
	}
}

// Data returns what the ConfigMap of a parent contains, or "" if there is none.
func Data(observed operator.Snapshot[*corev1.ConfigMap], parent string) string {
	found, ok := observed.Get(parent + "-data")
	if !ok {
		return ""
	}
	return found.Data["value"]
}
