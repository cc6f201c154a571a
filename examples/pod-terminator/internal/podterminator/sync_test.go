package podterminator

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	chaosv1alpha1 "example.com/pod-terminator/api/v1alpha1"
)

var (
	noon = time.Date(2026, time.May, 4, 12, 0, 0, 0, time.UTC)
	next = noon.Add(time.Minute)
)

func at(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }

// server is what Sync does beside answering: it notes what is deleted, and has the parent as it is by now.
type server struct {
	client.Writer
	client.Reader
	parent  *chaosv1alpha1.PodTerminator
	deleted []string
	fails   error
}

func (s *server) Delete(_ context.Context, object client.Object, options ...client.DeleteOption) error {
	how := new(client.DeleteOptions).ApplyOptions(options)
	name := object.GetName() + "/" + string(*how.Preconditions.UID)
	for range how.DryRun {
		name += " (dry run)"
	}
	s.deleted = append(s.deleted, name)
	return s.fails
}

func (s *server) Get(_ context.Context, _ client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	s.parent.DeepCopyInto(object.(*chaosv1alpha1.PodTerminator))
	return nil
}

// terminator has a period of a minute, of half of its Pods, and leaves two.
func terminator(change func(*chaosv1alpha1.PodTerminator)) *chaosv1alpha1.PodTerminator {
	parent := &chaosv1alpha1.PodTerminator{
		ObjectMeta: metav1.ObjectMeta{Name: "monkey", Generation: 1, ResourceVersion: "7"},
		Spec: chaosv1alpha1.PodTerminatorSpec{
			Selector: map[string]string{"app": "web"}, PeriodSeconds: 60, TerminationPercent: 50, MinimumInstances: ptr.To[int32](2),
		},
		Status: chaosv1alpha1.PodTerminatorStatus{Generation: 1, NextRun: at(noon)},
	}
	change(parent)
	return parent
}

// pods run, by the name and a UID that derives from it.
func pods(names ...string) []*corev1.Pod {
	var running []*corev1.Pod
	for _, name := range names {
		running = append(running, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)},
			Status:     corev1.PodStatus{Phase: corev1.PodRunning},
		})
	}
	return running
}

func victims(names ...string) []chaosv1alpha1.Victim {
	var chosen []chaosv1alpha1.Victim
	for _, name := range names {
		chosen = append(chosen, chaosv1alpha1.Victim{Namespace: "default", Name: name, UID: "uid-" + name})
	}
	return chosen
}

// answer is a response within the period that ends next.
func answer(run *chaosv1alpha1.Run, terminated int64, events ...operator.Event) *Response {
	return &Response{
		Status:       &chaosv1alpha1.PodTerminatorStatus{Generation: 1, NextRun: at(next), LastRun: run, Terminated: terminated},
		Events:       events,
		RequeueAfter: time.Minute,
	}
}

func running(names ...string) Related {
	return Related{Pods: operator.NewSnapshot(pods(names...)...)}
}

// TestSync goes through what a reconcile may find. Without chance, the first Pods by name are chosen.
func TestSync(t *testing.T) {
	halfDone := func(dryRun bool) func(*chaosv1alpha1.PodTerminator) {
		return func(parent *chaosv1alpha1.PodTerminator) {
			parent.Status.NextRun = at(next)
			parent.Status.LastRun = &chaosv1alpha1.Run{Time: *at(noon), Matching: 5, DryRun: dryRun, Pods: victims("a", "b")}
		}
	}
	ended, ending := pods("y")[0], pods("z")[0]
	ended.Status.Phase, ending.DeletionTimestamp = corev1.PodSucceeded, at(noon)

	for _, test := range []struct {
		name    string
		change  func(*chaosv1alpha1.PodTerminator)
		related Related
		behind  bool // the cache
		fails   error
		expect  *Response
		deletes []string
	}{
		{
			name: "a new one starts its period",
			change: func(parent *chaosv1alpha1.PodTerminator) {
				parent.Status = chaosv1alpha1.PodTerminatorStatus{}
			},
			related: running("a", "b", "c", "d"),
			expect:  answer(nil, 0),
		},
		{
			name:    "a changed spec restarts the period, and calls off what was chosen",
			change:  func(parent *chaosv1alpha1.PodTerminator) { halfDone(false)(parent); parent.Generation = 2 },
			related: running("a", "b", "c", "d", "e"),
			expect: &Response{
				Status:       &chaosv1alpha1.PodTerminatorStatus{Generation: 2, NextRun: at(next)},
				RequeueAfter: time.Minute,
			},
		},
		{
			name:    "nothing happens within the period",
			change:  func(parent *chaosv1alpha1.PodTerminator) { parent.Status.NextRun = at(next) },
			related: running("a", "b", "c", "d"),
			expect:  answer(nil, 0),
		},
		{
			name:    "at its end half of the Pods are chosen, rounded down, and none is deleted yet",
			change:  func(*chaosv1alpha1.PodTerminator) {},
			related: running("a", "b", "c", "d", "e"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, Pods: victims("a", "b")}, 0),
		},
		{
			name:    "a period that is long over is followed by one run",
			change:  func(parent *chaosv1alpha1.PodTerminator) { parent.Status.NextRun = at(noon.Add(-24 * time.Hour)) },
			related: running("a", "b", "c", "d", "e"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, Pods: victims("a", "b")}, 0),
		},
		{
			name:    "the minimum is left",
			change:  func(*chaosv1alpha1.PodTerminator) {},
			related: running("a", "b"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 2, Done: true}, 0),
		},
		{
			name:    "Pods that have ended or are about to go do not count",
			change:  func(*chaosv1alpha1.PodTerminator) {},
			related: Related{Pods: operator.NewSnapshot(append(pods("a", "b", "c"), ended, ending)...)},
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 3, Pods: victims("a")}, 0),
		},
		{
			name: "nor do those that the last run has terminated, and the cache still shows",
			change: func(parent *chaosv1alpha1.PodTerminator) {
				parent.Status.LastRun = &chaosv1alpha1.Run{Time: *at(noon), Matching: 4, Pods: victims("a", "b"), Done: true}
			},
			related: running("a", "b", "c", "d"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 2, Done: true}, 0),
		},
		{
			name:    "a parent that is not as the API server has it chooses nothing",
			change:  func(*chaosv1alpha1.PodTerminator) {},
			related: running("a", "b", "c", "d", "e"),
			behind:  true,
			expect:  &Response{RequeueAfter: time.Second},
		},
		{
			name:    "what was chosen is deleted",
			change:  halfDone(false),
			related: running("a", "b", "c", "d", "e"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, Pods: victims("a", "b"), Done: true}, 2, operator.Event{Reason: "Terminated", Message: "2 of 5 Pods: default/a, default/b"}),
			deletes: []string{"a/uid-a", "b/uid-b"},
		},
		{
			name:    "once more after a crash, and nothing else, although others have taken their place",
			change:  halfDone(false),
			related: running("b", "c", "d", "e", "f"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, Pods: victims("a", "b"), Done: true}, 2, operator.Event{Reason: "Terminated", Message: "2 of 5 Pods: default/a, default/b"}),
			deletes: []string{"a/uid-a", "b/uid-b"},
		},
		{
			name:    "those that live are spared if too few would be left by now",
			change:  halfDone(false),
			related: running("b", "c"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, Pods: victims("a"), Done: true}, 1, operator.Event{Reason: "Terminated", Message: "1 of 5 Pods: default/a"}),
		},
		{
			name:    "a dry run asks only",
			change:  halfDone(true),
			related: running("a", "b", "c", "d", "e"),
			expect:  answer(&chaosv1alpha1.Run{Time: *at(noon), Matching: 5, DryRun: true, Pods: victims("a", "b"), Done: true}, 0, operator.Event{Reason: "DryRun", Message: "2 of 5 Pods: default/a, default/b"}),
			deletes: []string{"a/uid-a (dry run)", "b/uid-b (dry run)"},
		},
		{
			name:    "a run that fails is not done, and its other Pods go nevertheless",
			change:  halfDone(false),
			related: running("a", "b", "c", "d", "e"),
			fails:   errors.New("the API server is on holiday"),
			deletes: []string{"a/uid-a", "b/uid-b"},
		},
	} {
		parent := terminator(test.change)
		api := &server{parent: parent.DeepCopy(), fails: test.fails}
		if test.behind {
			api.parent.ResourceVersion = "8"
		}
		r := &Reconciler{pods: api, live: api, shuffle: func(int, func(i, j int)) {}}
		expected := operatortest.Case[Request, Response]{
			Name:   test.name,
			Given:  Request{Parent: parent, Related: test.related, Now: noon},
			Expect: test.expect,
		}
		if test.fails != nil {
			expected.ExpectError = test.fails.Error()
		}
		operatortest.Run(t, r.Sync, expected)
		if !slices.Equal(api.deleted, test.deletes) {
			t.Errorf("%s: deleted %q, want %q", test.name, api.deleted, test.deletes)
		}
	}
}

// TestChance shows that it is chance that chooses, and that it chooses no more than it should.
func TestChance(t *testing.T) {
	chosen := map[string]int{}
	controller := &Reconciler{shuffle: func(n int, swap func(i, j int)) {
		for i := range n / 2 {
			swap(i, n-1-i)
		}
	}}
	run := controller.choose(&Request{
		Parent: terminator(func(*chaosv1alpha1.PodTerminator) {}), Related: running("a", "b", "c", "d"), Now: noon,
	})
	for _, victim := range run.Pods {
		chosen[victim.Name]++
	}
	if len(chosen) != 2 || chosen["c"] != 1 || chosen["d"] != 1 {
		t.Errorf("chose %v of a, b, c, d in the reverse order, want d and c", chosen)
	}
}

func TestFinalize(t *testing.T) {
	operatortest.Run(t, new(Reconciler).Finalize, operatortest.Case[Request, Response]{
		Name: "it goes at once, and says how many it had",
		Given: Request{Parent: terminator(func(parent *chaosv1alpha1.PodTerminator) {
			parent.Status.Terminated = 12
		})},
		Expect: &Response{Finalized: true, Events: []operator.Event{{Reason: "Stopped", Message: "terminated 12 Pods in all"}}},
	})
}
