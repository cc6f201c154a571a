package reconcile

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// newRollingTasks returns tasks that roll, in the order in which Sync added them. A text names a task and says
// what was observed: "a old broken", "b latest ready", "c missing after a". One that is lagging is ready by
// itself, and not for Sync.
func newRollingTasks(texts []string) (tasks []task) {
	kind := &childKind{ChildKind: declared.ChildKind{Rules: health.Rules{ReadyWhen: func(object client.Object) (bool, error) { return object.GetLabels()["ready"] == "true", nil }}}}
	for place, text := range texts {
		text, after, _ := strings.Cut(text, " after ")
		words := strings.Fields(text)
		var observed client.Object
		if words[1] != "missing" {
			observed = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"hash": words[1]}}}
			if words[2] == "ready" || words[2] == "lagging" {
				observed.SetLabels(map[string]string{"ready": "true"})
			}
		}
		task := newTestTask("ConfigMap", "", words[0], observed)
		if words[len(words)-1] == "lagging" {
			task.source.NotReady = "has not caught up"
		}
		task.kind, task.place, task.Update, task.HashKey, task.Hash = kind, place, declared.RollingInPlace, "hash", "latest"
		if after != "" {
			task.after = []apply.Key{newTestTask("ConfigMap", "", after, nil).Key()}
		}
		tasks = append(tasks, task)
	}
	return tasks
}

func TestRollingUpdateChangesOneChildAtATime(t *testing.T) {
	for name, test := range map[string]struct {
		given []string
		turn  string // empty: the update waits
	}{
		"all are up to date":                                       {[]string{"a latest ready", "b latest ready"}, ""},
		"the first outdated one":                                   {[]string{"a latest ready", "b old ready", "c old ready"}, "b"},
		"an unhealthy outdated one before others":                  {[]string{"a old ready", "b old broken", "c old broken"}, "b"},
		"an unhealthy one that is up to date":                      {[]string{"a latest broken", "b old ready"}, ""},
		"an unhealthy one that is up to date, and no other is":     {[]string{"a latest broken", "b old broken"}, ""},
		"a missing one":                                            {[]string{"a missing", "b old ready"}, ""},
		"a missing one that waits for the unhealthy":               {[]string{"a old broken", "b missing after a"}, "a"},
		"a missing one that waits for nothing":                     {[]string{"a old ready", "b missing after a"}, ""},
		"one that lags and is up to date":                          {[]string{"a latest lagging", "b old ready"}, ""},
		"one that lags and is outdated before others":              {[]string{"a old ready", "b old lagging"}, "b"},
		"a healthy one is not changed while a broken one is later": {[]string{"a old ready", "b latest ready", "c old broken"}, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := newRollingTasks(test.given)
			update := newRollingUpdate(tasks)
			if got := update.turns[tasks[0].kind].Name.Name; got != test.turn {
				t.Errorf("the turn is that of %q, want %q", got, test.turn)
			}
			for _, task := range tasks {
				waits := task.isOutdated() && task.Name.Name != test.turn
				why, isIncomplete := task.blockReason(update, map[apply.Key]bool{tasks[0].Key(): true})
				if (why != "") != waits || isIncomplete {
					t.Errorf("%s waits: %q, incomplete %v", task.Key(), why, isIncomplete)
				}
			}
		})
	}
}

func TestDriftedChildrenAreRecreatedOneAtATime(t *testing.T) {
	for name, test := range map[string]struct {
		given    []string // the first has drifted
		replaced bool     // one before it is being recreated
		delayed  bool
	}{
		"all others are healthy":              {[]string{"a latest ready", "b latest ready"}, false, false},
		"another is recreated":                {[]string{"a latest ready", "b latest ready"}, true, true},
		"another lags":                        {[]string{"a latest ready", "b latest lagging"}, false, true},
		"another is not healthy":              {[]string{"a latest ready", "b latest broken"}, false, true},
		"it is not healthy itself":            {[]string{"a latest broken", "b latest broken"}, false, false},
		"another has its turn":                {[]string{"a latest ready", "b old ready"}, false, true},
		"it is outdated, and has a turn then": {[]string{"a old ready", "b latest broken"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := newRollingTasks(test.given)
			done := []child{{childKind: tasks[0].kind, isReplaced: test.replaced}}
			if got := newRollingUpdate(tasks).delaysRecreation(tasks[0], done); got != test.delayed {
				t.Errorf("delayed = %v, want %v", got, test.delayed)
			}
		})
	}
}

func TestTasksThatComeAfterOthersWait(t *testing.T) {
	for name, test := range map[string]struct {
		ready, queued bool
		want          string
	}{
		"the other is not ready":                  {false, false, "waits for ConfigMap a"},
		"the other is ready":                      {true, false, ""},
		"the other is healthy and waits its turn": {false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := newRollingTasks([]string{"a latest ready", "b missing after a"})
			update := newRollingUpdate(tasks)
			if test.queued {
				update.queue(tasks[0])
			}
			why, isIncomplete := tasks[1].blockReason(update, map[apply.Key]bool{tasks[0].Key(): test.ready})
			if why != test.want || isIncomplete != (test.want != "") {
				t.Errorf("waits %q, incomplete %v, want %q", why, isIncomplete, test.want)
			}
		})
	}
}
