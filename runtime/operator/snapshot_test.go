package operator_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestSnapshot(t *testing.T) {
	of := operator.NewSnapshot(configMapIn("b", "web"), configMapIn("a", "web"), configMapIn("a", "db"), configMapIn("a-b", "web"), configMap("web", ""))
	get := func(snapshot operator.Snapshot[*corev1.ConfigMap], name string) string {
		child, ok := snapshot.Get(name)
		if ok != snapshot.Ready(name) {
			t.Errorf("Get(%s) is %v, Ready is %v", name, ok, !ok)
		}
		if !ok {
			return "none"
		}
		return child.Namespace + "/" + child.Name
	}
	for _, test := range []struct {
		name, got, want string
	}{
		{"all of a cluster-scoped parent", namesOf(of), "[/web a/db a/web a-b/web b/web]"},
		{"those of a namespace", namesOf(of.In("a")), "[a/db a/web]"},
		{"those of another namespace", namesOf(of.In("a").In("b")), "[b/web]"},
		{"all again", namesOf(of.In("a").In(operator.AllNamespaces)), "[/web a/db a/web a-b/web b/web]"},
		{"those of no namespace that has any", namesOf(of.In("c")), "[]"},
		{"a name in a namespace", get(of.In("b"), "web"), "b/web"},
		{"a name that is elsewhere", get(of.In("b"), "db"), "none"},
		{"a name with a namespace", get(of, "a/db"), "a/db"},
		{"a name with another namespace", get(of.In("b"), "a/db"), "a/db"},
		{"a name without a namespace", get(of, "web"), "/web"},
		{"a name in a snapshot of one namespace", get(operator.NewSnapshot(configMapIn("b", "web")), "web"), "b/web"},
		{"a name in an empty snapshot", get(operator.NewSnapshot[*corev1.ConfigMap](), "web"), "none"},
		{"a name in the zero value", get(operator.Snapshot[*corev1.ConfigMap]{}, "web"), "none"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
	if operator.NewSnapshot(pod("web", "web:1")).Ready("web") {
		t.Error("a Pod is ready before it says so")
	}
}

// namesOf returns the objects of a snapshot, in order.
func namesOf(snapshot operator.Snapshot[*corev1.ConfigMap]) string {
	names := []string{}
	for child := range snapshot.All() {
		names = append(names, child.Namespace+"/"+child.Name)
	}
	if len(names) != snapshot.Len() {
		return fmt.Sprintf("%d instead of %d", snapshot.Len(), len(names))
	}
	return fmt.Sprint(names)
}

func TestAmbiguousNamePanics(t *testing.T) {
	one, two := configMapIn("a", "web"), configMapIn("b", "web")
	snapshot := operator.NewSnapshot(one, two)
	desired := new(operator.DesiredSet[*corev1.ConfigMap])
	desired.Add(one)
	desired.Add(two)
	for name, look := range map[string]func(){
		"Get":                 func() { snapshot.Get("web") },
		"Get of another name": func() { snapshot.Get("db") },
		"Ready":               func() { snapshot.Ready("web") },
		"Health":              func() { snapshot.Health("web") },
		"Failed":              func() { snapshot.Failed("web") },
		"Outdated":            func() { snapshot.Outdated("web") },
		"Get of desired":      func() { desired.Get("web") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it does not panic")
				}
			}()
			look()
		})
	}
	if child, ok := desired.Get("b/web"); !ok || child != two {
		t.Errorf("Get(b/web) of desired is %v, %v", child, ok)
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
