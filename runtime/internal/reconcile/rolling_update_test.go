package reconcile

import (
	"slices"
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
// itself, and not for Sync. Sync does not let one that is held change, has one that is last go last, and
// adds one that is kept with OnDelete.
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
		task.kind, task.place, task.Update, task.HashKey, task.Hash = kind, place, declared.RollingInPlace, "hash", "latest"
		switch words[len(words)-1] {
		case "lagging":
			task.source.NotReady = "has not caught up"
		case "held":
			task.source.NotUpdated = "is the primary"
		case "last":
			task.source.UpdateLast = true
		case "kept":
			task.Update = declared.OnDelete
		}
		if after != "" {
			task.after = []apply.Key{newTestTask("ConfigMap", "", after, nil).Key()}
		}
		tasks = append(tasks, task)
	}
	return tasks
}

func TestRollingUpdateTakesMembersInTheirOrder(t *testing.T) {
	for name, test := range map[string]struct {
		given []string
		limit declared.MaxUnavailable
		turns string
		waits map[string]string // instead of for a turn
	}{
		"the first outdated one": {given: []string{"a latest ready", "b old ready", "c old ready"}, turns: "b"},
		"two of them":            {given: []string{"a old ready", "b old ready", "c old ready"}, limit: "2", turns: "a b"},
		"half of them":           {given: []string{"a old ready", "b old ready", "c old ready", "d old ready", "e old ready"}, limit: "50%", turns: "a b"},
		"one that goes last":     {given: []string{"a old ready last", "b old ready", "c old ready"}, limit: "2", turns: "b c"},
		"one that goes last, once the others are done": {given: []string{"a old ready last", "b latest ready"}, turns: "a"},
		"one that goes last and is down":               {given: []string{"a old broken last", "b old ready"}, turns: "a"},
		"one that Sync does not let change":            {given: []string{"a old ready held", "b old ready"}, turns: "b", waits: map[string]string{"a": "is outdated and is the primary"}},
		"one that keeps its version, and is ready":     {given: []string{"a old ready kept", "b old ready"}, turns: "b", waits: map[string]string{"a": ""}},
		"one that keeps its version, and is not":       {given: []string{"a old broken kept", "b old ready"}, waits: map[string]string{"a": ""}},
		"a missing one":                                {given: []string{"a missing", "b old ready"}},
		"a missing one that waits for the unhealthy":   {given: []string{"a old broken", "b missing after a"}, turns: "a"},
		"a missing one that waits for nothing":         {given: []string{"a old ready", "b missing after a"}},
		"one that lags and is up to date":              {given: []string{"a latest lagging", "b old ready"}},
		"one that lags and is outdated before others":  {given: []string{"a old ready", "b old lagging"}, turns: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := newRollingTasks(test.given)
			for i := range tasks {
				tasks[i].maxUnavailable = test.limit
			}
			update := newRollingUpdate(tasks)
			for _, task := range tasks {
				has := slices.Contains(strings.Fields(test.turns), task.Name.Name)
				want, isOther := test.waits[task.Name.Name]
				if !isOther && task.isOutdated() && !has {
					want = "is outdated and waits for its turn"
				}
				why, isIncomplete := task.blockReason(update, map[apply.Key]bool{tasks[0].Key(): true})
				if update.turns[task.Key()] != has || why != want || isIncomplete {
					t.Errorf("%s has a turn: %v, want %v; it %q, want %q; incomplete: %v", task.Key(), update.turns[task.Key()], has, why, want, isIncomplete)
				}
			}
		})
	}
}

func TestSyncHoldsAChangeOfAChildThatDoesNotRoll(t *testing.T) {
	for _, test := range []struct {
		given    string
		strategy declared.UpdateStrategy
		want     string
	}{
		{"a old ready held", declared.InPlace, "is outdated and is the primary"},
		{"a old broken held", declared.Recreate, "is outdated and is the primary"},
		{"a latest ready held", declared.InPlace, ""},
		{"a missing held", declared.InPlace, ""},
		{"a old ready held", declared.OnDelete, ""},
		{"a old ready held", declared.CreateOnly, ""},
	} {
		tasks := newRollingTasks([]string{test.given})
		tasks[0].Update = test.strategy
		if why, _ := tasks[0].blockReason(newRollingUpdate(tasks), nil); why != test.want {
			t.Errorf("%s with %s: %q, want %q", test.given, test.strategy, why, test.want)
		}
	}
}

func TestDriftedChildrenAreRecreatedOneAtATime(t *testing.T) {
	for name, test := range map[string]struct {
		given    []string // the first has drifted
		limit    declared.MaxUnavailable
		replaced bool // the second is being recreated
		delayed  bool
	}{
		"all others are healthy":               {[]string{"a latest ready", "b latest ready"}, "1", false, false},
		"another is recreated":                 {[]string{"a latest ready", "b latest ready"}, "1", true, true},
		"another is recreated of two":          {[]string{"a latest ready", "b latest ready"}, "2", true, false},
		"one is recreated, and one is down":    {[]string{"a latest ready", "b latest ready", "c latest broken"}, "2", true, true},
		"another lags":                         {[]string{"a latest ready", "b latest lagging"}, "1", false, true},
		"another is not healthy":               {[]string{"a latest ready", "b latest broken"}, "1", false, true},
		"another of two is not healthy":        {[]string{"a latest ready", "b latest broken"}, "2", false, false},
		"it is not healthy itself":             {[]string{"a latest broken", "b latest broken"}, "1", false, false},
		"it is not healthy, another recreated": {[]string{"a latest broken", "b latest ready"}, "1", true, true},
		"another has its turn":                 {[]string{"a latest ready", "b old ready"}, "1", false, true},
		"another of two has its turn":          {[]string{"a latest ready", "b old ready"}, "2", false, false},
		"it is outdated, and has a turn then":  {[]string{"a old ready", "b latest broken"}, "1", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			tasks := newRollingTasks(test.given)
			for i := range tasks {
				tasks[i].maxUnavailable = test.limit
			}
			second := tasks[1].newResult()
			second.isReplaced, second.childKind = test.replaced, &childKind{kind: kind{GroupVersionKind: tasks[1].Key().Kind}}
			done := []child{second}
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
