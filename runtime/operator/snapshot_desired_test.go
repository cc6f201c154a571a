package operator_test

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// In a test of Sync, what was desired is the given child without what the API server sets.
func TestDesiredOfATest(t *testing.T) {
	given := service("web")
	given.Namespace, given.UID, given.ResourceVersion = "a", "1", "7"
	given.CreationTimestamp = metav1.Now()
	given.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "::1"}}
	expected := service("web")
	expected.Namespace = "a"
	got, ok := operator.NewSnapshot(given).Desired("web")
	if !ok || !reflect.DeepEqual(got, expected) {
		t.Errorf("got %v, %+v, want %+v", ok, got, expected)
	}
	got.Labels["app"] = "changed"
	if given.Labels["app"] != "web" {
		t.Error("it is no copy")
	}
	dynamic := operator.Unstructured("example.com/v1", "Widget")
	dynamic.SetName("web")
	dynamic.Object["spec"] = map[string]any{"size": int64(3), "ratio": 0.5}
	dynamic.Object["status"] = map[string]any{"phase": "Ready"}
	widget, ok := operator.NewSnapshot(dynamic).Desired("web")
	delete(dynamic.Object, "status")
	if !ok || !reflect.DeepEqual(widget.Object, dynamic.Object) {
		t.Errorf("got %v, %+v", ok, widget)
	}
}

func TestDesiredByName(t *testing.T) {
	of := operator.NewSnapshot(configMapIn("a", "web"), configMapIn("b", "web"), configMapIn("b", "db"))
	told := of.WithDesired(configMapIn("b", "web")).WithDesired(configMapIn("b", "gone"))
	for _, test := range []struct {
		name  string
		of    operator.Snapshot[*corev1.ConfigMap]
		child string
		ok    bool
	}{
		{"one that was given", of, "a/web", true},
		{"one in a namespace", of.In("b"), "db", true},
		{"none", of.In("a"), "db", false},
		{"one that the test names", told, "b/web", true},
		{"one that it does not name", told, "b/db", false},
		{"one of the same name elsewhere", told, "a/web", false},
		{"one that does not exist", told, "b/gone", false},
		{"one of a selection", told.Where(func(object *corev1.ConfigMap) bool { return object.Name == "web" }), "b/web", true},
		{"one of a kind that is not served", of.NotServed(), "b/web", false},
	} {
		if object, ok := test.of.Desired(test.child); ok != test.ok || ok != (object != nil) {
			t.Errorf("%s: %v, %v", test.name, ok, object)
		}
	}
	var none *unstructured.Unstructured
	if object, ok := (operator.Snapshot[*unstructured.Unstructured]{}).Desired("web"); ok || object != none {
		t.Error("the zero value has a child")
	}
}
