package reconcile

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

func newTestTask(kind, namespace, name string, observed client.Object, after ...apply.Key) task {
	t := task{observed: observed, after: after}
	t.Kind, t.Name = schema.GroupVersionKind{Version: "v1", Kind: kind}, types.NamespacedName{Namespace: namespace, Name: name}
	return t
}

func namesOfTasks(tasks []task) (names []string) {
	for _, task := range tasks {
		names = append(names, task.Name.Name)
	}
	return names
}

func TestChildrenComeAfterTheNamespaceThatTheyLieIn(t *testing.T) {
	existing := &corev1.Namespace{}
	for name, test := range map[string]struct {
		given  []task
		expect []string
	}{
		"it is created": {
			given:  []task{newTestTask("ConfigMap", "home", "a", nil), newTestTask("ConfigMap", "other", "b", nil), newTestTask("Namespace", "", "home", nil)},
			expect: []string{"home", "a", "b"},
		},
		"it exists": {
			given:  []task{newTestTask("ConfigMap", "home", "a", nil), newTestTask("Namespace", "", "home", existing)},
			expect: []string{"a", "home"},
		},
		"another comes after the child": {
			given: []task{
				newTestTask("Secret", "other", "c", nil, newTestTask("ConfigMap", "home", "a", nil).Key()),
				newTestTask("ConfigMap", "home", "a", nil), newTestTask("Namespace", "", "home", nil),
			},
			expect: []string{"home", "a", "c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ordered, err := orderTasks(test.given, nil)
			got := namesOfTasks(ordered)
			if err != nil || !slices.Equal(got, test.expect) {
				t.Errorf("got %v, %v; expected %v", got, err, test.expect)
			}
		})
	}
}

func TestOrderOfDependencies(t *testing.T) {
	key := func(name string) apply.Key { return newTestTask("Pod", "", name, nil).Key() }
	pod := func(name string, after ...apply.Key) task { return newTestTask("Pod", "", name, nil, after...) }
	unserved := []child{newTestChild("later", func(*child) {})}
	for name, test := range map[string]struct {
		given  []task
		expect []string
		err    string
	}{
		"none":              {[]task{pod("b"), pod("a")}, []string{"b", "a"}, ""},
		"one":               {[]task{pod("a", key("b")), pod("c"), pod("b")}, []string{"b", "a", "c"}, ""},
		"a chain":           {[]task{pod("a", key("b")), pod("b", key("c")), pod("c")}, []string{"c", "b", "a"}, ""},
		"two of one":        {[]task{pod("a", key("c")), pod("b", key("c")), pod("c")}, []string{"c", "a", "b"}, ""},
		"a cycle":           {[]task{pod("a", key("b")), pod("b", key("c")), pod("c", key("a"))}, nil, "Pod a is part of a dependency cycle"},
		"itself":            {[]task{pod("a", key("a"))}, nil, "Pod a is part of a dependency cycle"},
		"one not desired":   {[]task{pod("a", key("gone"))}, nil, "Pod a comes after Pod gone, which is not desired"},
		"an unserved child": {[]task{pod("a", key("later")), pod("b")}, []string{"a", "b"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ordered, err := orderTasks(test.given, unserved)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if names := namesOfTasks(ordered); message != test.err || !slices.Equal(names, test.expect) {
				t.Errorf("got %v, %q; expected %v, %q", names, message, test.expect, test.err)
			}
		})
	}
}

func TestTasksThatComeAfterInvalidOnesAreDropped(t *testing.T) {
	key := func(name string) apply.Key { return newTestTask("Pod", "", name, nil).Key() }
	left, dropped := dropDependents([]task{
		newTestTask("Pod", "", "a", nil, key("b")), newTestTask("Pod", "", "b", nil, key("invalid")), newTestTask("Pod", "", "c", nil),
		newTestTask("Pod", "", "d", nil, key("c")),
	})
	if names := namesOfTasks(left); !slices.Equal(names, []string{"c", "d"}) {
		t.Errorf("got %v", names)
	}
	if names := namesOfTasks(dropped); !slices.Equal(names, []string{"b", "a"}) {
		t.Errorf("dropped %v", names)
	}
}

func TestMissingChildrenComeFirst(t *testing.T) {
	existing := &corev1.Pod{}
	sorted := missingFirst([]task{newTestTask("Pod", "", "a", existing), newTestTask("Pod", "", "b", nil), newTestTask("Pod", "", "c", existing), newTestTask("Pod", "", "d", nil)})
	if names := namesOfTasks(sorted); !slices.Equal(names, []string{"b", "d", "a", "c"}) {
		t.Errorf("got %v", names)
	}
}

func TestNoReconcileWaitsBehindChildrenWhoseRequestsFail(t *testing.T) {
	tasks := []task{newTestTask("Pod", "", "a", nil), newTestTask("Pod", "", "b", nil), newTestTask("Pod", "", "c", nil), newTestTask("Pod", "", "d", nil), newTestTask("Pod", "", "e", nil)}
	var turns turns
	tried := ""
	for range 5 { // each stops after two
		tasks = turns.sort(tasks)
		tried += tasks[0].Name.Name + tasks[1].Name.Name + " "
		turns.end(tasks[:2], true)
	}
	if tried != "ab cd ea bc de " {
		t.Errorf("tried %s", tried)
	}
	turns.end(tasks, false)
	if turns.last != nil || turns.reconciles != 0 {
		t.Errorf("something is left: %v", turns)
	}
}
