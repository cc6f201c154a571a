package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestSnapshot(t *testing.T) {
	in := func(namespace, name string) *corev1.ConfigMap {
		child := configMap(name, namespace)
		child.Namespace = namespace
		return child
	}
	snapshot := operator.NewSnapshot(in("b", "web"), in("a", "web"), in("a", "db"))

	var order string
	for child := range snapshot.All() {
		order += child.Namespace + "/" + child.Name + " "
	}
	if want := "a/db a/web b/web "; order != want {
		t.Errorf("order is %s, want %s", order, want)
	}
	if child, ok := snapshot.Get("web"); !ok || child.Namespace != "a" {
		t.Errorf("Get(web) is %v, %v", child, ok)
	}
	if child, ok := snapshot.In("b").Get("web"); !ok || child.Namespace != "b" {
		t.Errorf("In(b).Get(web) is %v, %v", child, ok)
	}
	if child, ok := snapshot.In("b").Get("db"); ok {
		t.Errorf("In(b).Get(db) is %v", child)
	}
	if snapshot.Len() != 3 || snapshot.In("a").Len() != 2 {
		t.Errorf("lengths are %d and %d", snapshot.Len(), snapshot.In("a").Len())
	}
	if !snapshot.Ready("db") || snapshot.Ready("none") || operator.NewSnapshot(pod("web", "web:1")).Ready("web") {
		t.Error("a ConfigMap is ready when it exists, a Pod when it says so")
	}
}

func TestSnapshotGivesCopies(t *testing.T) {
	snapshot := operator.NewSnapshot(configMap("web", "one"))
	child, _ := snapshot.Get("web")
	child.Data["key"] = "changed"
	for child := range snapshot.All() {
		if child.Data["key"] != "one" {
			t.Error("a change reached the snapshot")
		}
	}
}
