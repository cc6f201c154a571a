package operatortest_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestReadyWhen(t *testing.T) {
	service := func(name, address string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{ClusterIP: address}}
	}
	snapshot := operatortest.ReadyWhen("has(self.spec.clusterIP)", service("up", "10.0.0.1"), service("down", ""))
	if !snapshot.Ready("up") || snapshot.Ready("down") || snapshot.Ready("absent") {
		t.Error("Ready does not go by the rule")
	}
	if snapshot.In("").Ready("down") {
		t.Error("a part of the snapshot does not go by the rule")
	}
}
