package reconcile

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

func TestOnlyTheCreationComesAfterOthers(t *testing.T) {
	first, second := newTestTask("Pod", "", "first", nil).Key(), newTestTask("Pod", "", "second", nil).Key()
	existing := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	deleting := existing.DeepCopy()
	deleting.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for name, test := range map[string]struct {
		observed   *corev1.Pod
		isRecreate bool
		after      []apply.Key
		ready      []apply.Key
		expect     []apply.Key
	}{
		"missing":                                   {expect: []apply.Key{first}},
		"missing, and the other is ready":           {ready: []apply.Key{first}},
		"missing, and comes after another one, too": {after: []apply.Key{second}, expect: []apply.Key{second, first}},
		"exists":                                      {observed: existing},
		"exists, and comes after another one":         {observed: existing, after: []apply.Key{second}, expect: []apply.Key{second}},
		"is being deleted":                            {observed: deleting},
		"to be recreated":                             {observed: existing, isRecreate: true, expect: []apply.Key{first}},
		"to be recreated, and the other is ready":     {observed: existing, isRecreate: true, ready: []apply.Key{first}},
		"to be recreated, and being deleted for that": {observed: deleting, isRecreate: true},
	} {
		t.Run(name, func(t *testing.T) {
			web := newTestTask("Pod", "", "web", nil, test.after...)
			if test.observed != nil {
				web.observed = test.observed
			}
			web.createAfter, web.recreate = []apply.Key{first}, test.isRecreate
			ready := map[apply.Key]bool{}
			for _, key := range test.ready {
				ready[key] = true
			}
			if got := web.unready(newRollingUpdate(nil), ready); !slices.Equal(got, test.expect) {
				t.Errorf("it waits for %v, want %v", got, test.expect)
			}
		})
	}
}

func TestCreationsAreOrderedWhateverExists(t *testing.T) {
	key := func(name string) apply.Key { return newTestTask("Pod", "", name, nil).Key() }
	for name, observed := range map[string]*corev1.Pod{"missing": nil, "exists": {}} {
		t.Run(name, func(t *testing.T) {
			pod := func(name string, createAfter ...apply.Key) task {
				made := newTestTask("Pod", "", name, nil)
				if made.createAfter = createAfter; observed != nil {
					made.observed = observed
				}
				return made
			}
			ordered, err := orderTasks([]task{pod("a", key("b")), pod("b")}, nil)
			if got := namesOfTasks(ordered); err != nil || !slices.Equal(got, []string{"b", "a"}) {
				t.Errorf("the order is %v, %v", got, err)
			}
			if _, err := orderTasks([]task{pod("a", key("gone"))}, nil); err == nil {
				t.Error("a child that is created after one which is not desired is no error")
			}
			if _, err := orderTasks([]task{pod("a", key("b")), pod("b", key("a"))}, nil); err == nil {
				t.Error("a cycle is no error")
			}
		})
	}
}
