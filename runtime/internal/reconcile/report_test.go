package reconcile

import (
	"errors"
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// newTestChild returns a child that is ready but for what change makes of it.
func newTestChild(name string, change func(*child)) child {
	made := child{
		childKind: &childKind{kind: kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}}},
		name:      types.NamespacedName{Name: name}, health: health.Health{State: health.Ready},
	}
	change(&made)
	return made
}

func TestReadyConditions(t *testing.T) {
	ready := newTestChild("ready", func(*child) {})
	failed := newTestChild("failed", func(c *child) { c.health = health.Health{State: health.Failed, Message: "crashes"} })
	waiting := newTestChild("waiting", func(c *child) { c.waitsFor = "waits for Pod ready" })
	replaced := newTestChild("replaced", func(c *child) { c.isReplaced = true })
	missing := newTestChild("missing", func(c *child) { c.health = health.Health{} })
	outdated := newTestChild("outdated", func(c *child) { c.isOutdated = true })
	altered := newTestChild("altered", func(c *child) { c.altered = []string{"spec.image"} })
	drifted := newTestChild("drifted", func(c *child) { c.conflict = &backoff.Conflict{Manager: "kubectl", Paths: []string{"spec.image"}} })
	returning := newTestChild("returning", func(c *child) { c.conflict = &backoff.Conflict{Returns: true} })
	taken := newTestChild("taken", func(c *child) { c.staying = "spec.paused of kubectl-edit" })
	refused, terminal := errChild{err: errors.New("refused")}, ctrl.TerminalError(errors.New("no such size"))
	for name, test := range map[string]struct {
		given report
		want  string
	}{
		"all is ready":     {report{children: []child{ready}}, "Ready=True Ready: every child is as desired and ready"},
		"there is nothing": {report{}, "Ready=True Ready: every child is as desired and ready"},
		"a child was refused": {report{children: []child{failed}, err: refused, heldPrunes: "keeps Pod b"},
			"Ready=False ApplyFailed, Reconciling=True"},
		"Sync gave up":          {report{err: terminal}, "Ready=False SyncFailed, Stalled=True"},
		"prunes are held":       {report{children: []child{failed}, heldPrunes: "keeps Pod b"}, "Ready=False PruneHeld, Stalled=True"},
		"it is deleted":         {report{children: []child{failed}, isFinalizing: true}, "Ready=False Finalizing, Reconciling=True"},
		"a child has failed":    {report{children: []child{waiting, failed, drifted}}, "Ready=False ChildFailed, Stalled=True"},
		"others change one":     {report{children: []child{waiting, drifted}}, "Ready=False FieldConflict, Reconciling=True"},
		"Sync changes one":      {report{children: []child{returning}}, "Ready=False HotLoop, Reconciling=True"},
		"both change one":       {report{children: []child{returning, drifted}}, "Ready=False FieldConflict, Reconciling=True"},
		"others change it":      {report{metadataConflict: &backoff.Conflict{}}, "Ready=False FieldConflict, Reconciling=True"},
		"a child waits":         {report{children: []child{ready, waiting}}, "Ready=False Progressing, Reconciling=True"},
		"one is recreated":      {report{children: []child{replaced}}, "Ready=False Progressing, Reconciling=True"},
		"one is missing":        {report{children: []child{missing}}, "Ready=False Progressing, Reconciling=True"},
		"one is outdated":       {report{children: []child{altered, outdated}}, "Ready=True Outdated: every child is ready; outdated until somebody deletes them (OnDelete): Pod outdated"},
		"admission alters it":   {report{children: []child{altered}}, "Ready=True ChangedByAdmission: every child is as desired and ready, but where admission changes it: Pod altered: spec.image"},
		"fields of others stay": {report{children: []child{ready, taken}}, "Ready=True Ready: every child is as desired and ready; fields of others stay in what was taken over, unless takeOverFrom names their managers: Pod taken: spec.paused of kubectl-edit"},
		"a takeover failed":     {report{err: errTakeover{errors.Join(apierrors.NewForbidden(schema.GroupResource{}, "", nil), refused)}}, "Ready=False TakeoverFailed, Reconciling=True"},
	} {
		t.Run(name, func(t *testing.T) {
			conditions := test.given.readyConditions()
			got := fmt.Sprintf("%s=%s %s", conditions[0].Type, conditions[0].Status, conditions[0].Reason)
			if conditions[0].Status == metav1.ConditionTrue {
				got += ": " + conditions[0].Message
			} else {
				got += fmt.Sprintf(", %s=%s", conditions[1].Type, conditions[1].Status)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// What Sync says counts for a child that is ready by itself, and for no other.
func TestHealthOfAChildThatIsNotReadyForSync(t *testing.T) {
	exists := &corev1.ConfigMap{}
	leaving := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}}
	failed := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True"}}}}
	for name, test := range map[string]struct {
		change func(*child)
		want   string
	}{
		"it exists":               {func(c *child) { c.object = exists }, "InProgress lags"},
		"it waits for its turn":   {func(c *child) { c.object, c.waitsFor = exists, "waits for its turn" }, "InProgress waits for its turn"},
		"it is recreated":         {func(c *child) { c.object, c.isReplaced = exists, true }, "InProgress is being recreated"},
		"it is deleted":           {func(c *child) { c.object = leaving }, "InProgress is being deleted"},
		"it is missing":           {func(*child) {}, "InProgress is missing"},
		"it has failed by itself": {func(c *child) { c.object = failed }, "Failed has failed"},
	} {
		t.Run(name, func(t *testing.T) {
			of := newTestChild("web", func(c *child) { c.health, c.notReady = health.Health{}, "lags" })
			test.change(&of)
			current := of.currentHealth()
			if got := string(current.State) + " " + current.Message; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestHashOfWhatIsNotReadyOrNotUpdated(t *testing.T) {
	sets := func(first, second string) []declared.DesiredSet {
		return []declared.DesiredSet{{}, {Children: []declared.DesiredChild{{NotReady: first}, {NotUpdated: second}}}}
	}
	if got := hashReasons(sets("", "")); got != 0 {
		t.Errorf("without any: got %d", got)
	}
	seen := map[uint64]string{}
	for _, given := range [][2]string{{"", ""}, {"lags", ""}, {"", "lags"}, {"lags", "lags"}, {"lags by 1 s", ""}} {
		hash := hashReasons(sets(given[0], given[1]))
		if other, ok := seen[hash]; ok {
			t.Errorf("%q has the hash of %q", given, other)
		}
		if seen[hash] = given[0] + "," + given[1]; hash != hashReasons(sets(given[0], given[1])) {
			t.Errorf("%q has two hashes", given)
		}
	}
}

func TestConditionsNameTheFirstChildren(t *testing.T) {
	var waiting []child
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		waiting = append(waiting, newTestChild(name, func(c *child) { c.waitsFor = "waits" }))
	}
	const want = "Pod a waits; Pod b waits; Pod c waits; and 2 more"
	if got := (report{children: waiting}).readyConditions()[0].Message; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNextRequeue(t *testing.T) {
	now := time.Now()
	in := func(wait time.Duration) *backoff.Conflict { return &backoff.Conflict{Retry: now.Add(wait)} }
	conflict := func(wait time.Duration) child {
		return newTestChild("a", func(c *child) { c.conflict = in(wait) })
	}
	altered := newTestChild("b", func(c *child) { c.altered = []string{"spec"} })
	for name, test := range map[string]struct {
		given   report
		requeue time.Duration // that the author asks for
		want    time.Duration
	}{
		"nothing is due":                         {report{}, 0, 0},
		"the author's time":                      {report{}, time.Minute, time.Minute},
		"a repair before it":                     {report{children: []child{conflict(time.Second)}}, time.Minute, time.Second},
		"a repair after it":                      {report{children: []child{conflict(time.Hour)}}, time.Minute, time.Minute},
		"a repair alone":                         {report{children: []child{conflict(time.Hour)}}, 0, time.Hour},
		"a repair that is overdue":               {report{children: []child{conflict(-time.Hour)}}, time.Minute, time.Millisecond},
		"the first of several":                   {report{children: []child{conflict(time.Hour), conflict(time.Minute)}, metadataConflict: in(2 * time.Minute)}, 0, time.Minute},
		"the parent's metadata":                  {report{metadataConflict: in(time.Second), statusConflict: in(time.Minute)}, 0, time.Second},
		"the parent's status":                    {report{metadataConflict: in(time.Minute), statusConflict: in(time.Second)}, 0, time.Second},
		"what admission alters":                  {report{children: []child{altered}}, 0, backoff.Altered},
		"what admission alters, before the time": {report{children: []child{altered}}, 2 * backoff.Altered, backoff.Altered},
		"what admission alters, after the time":  {report{children: []child{altered}}, time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.given.nextRequeue(now, test.requeue); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestFailuresAsTheyCount(t *testing.T) {
	refused, terminal := errChild{err: errors.New("refused")}, ctrl.TerminalError(errors.New("no such size"))
	for name, test := range map[string]struct {
		given                    outcome
		isTerminal, nameConflict bool
		requeue                  time.Duration
	}{
		"a child was refused":  {outcome{err: refused, requeue: time.Minute}, false, false, time.Minute},
		"Sync gave up":         {outcome{err: terminal, requeue: time.Minute}, true, false, time.Minute},
		"the retries ended":    {outcome{err: errGaveUp{3, refused}, requeue: time.Minute}, true, false, 0},
		"a name is taken":      {outcome{err: errChild{err: apply.ErrNameConflict{}}}, false, true, 0},
		"one of them is taken": {outcome{err: errors.Join(refused, errChild{err: apply.ErrNameConflict{}})}, false, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.given.failure(backoff.View{Parent: "7"})
			want := backoff.Failure{Err: test.given.err, Requeue: test.requeue, IsTerminal: test.isTerminal, NameConflict: test.nameConflict, View: backoff.View{Parent: "7"}}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
