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
			var got []string
			for _, task := range ordered {
				got = append(got, task.Name.Name)
			}
			if err != nil || !slices.Equal(got, test.expect) {
				t.Errorf("got %v, %v; expected %v", got, err, test.expect)
			}
		})
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
