package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

// statusWriter undoes what the operator writes into the status of a Site.
type statusWriter struct {
	undone  func(testapi.Status) bool
	kind    types.PatchType
	patches []string
}

var phaseWriter = statusWriter{
	undone:  func(s testapi.Status) bool { return s.Phase == "theirs" },
	kind:    types.MergePatchType,
	patches: []string{`{"status":{"phase":"theirs"}}`},
}

// undoWrites has a other undo every write of the operator's for two seconds. It returns
// how many those were.
func (f *fixture) undoWrites(other statusWriter) (writes int) {
	f.t.Helper()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if f.Get(f.site); other.undone(f.site.Status) {
			continue
		}
		writes++
		for _, patch := range other.patches {
			if err := f.Client.Status().Patch(f.t.Context(), f.site, client.RawPatch(other.kind, []byte(patch)), client.FieldOwner("other-manager")); err != nil {
				f.t.Fatal(err)
			}
		}
	}
	return writes
}

// statusWrites are the requests since the first n that wrote the status.
func (f *fixture) statusWrites(n int) (writes int) {
	f.t.Helper()
	for _, request := range f.Requests()[n:] {
		if request.Resource == "sites/status" {
			writes++
		}
	}
	return writes
}

func TestStatusFieldConflict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		sync  Function
		other statusWriter
		told  string
	}{
		{"a field", nil, phaseWriter, `field manager "other-manager" keeps changing status.phase,`},
		{"a condition of the runtime's", nil, statusWriter{
			undone: func(s testapi.Status) bool { return meta.IsStatusConditionFalse(s.Conditions, "Ready") },
			kind:   types.JSONPatchType,
			patches: []string{`[{"op":"replace","path":"/status/conditions/0/status","value":"False"},
				{"op":"replace","path":"/status/conditions/0/lastTransitionTime","value":"2026-01-02T03:04:05Z"}]`},
		}, `field manager "other-manager" keeps changing status.conditions[type=Ready].lastTransitionTime, status.conditions[type=Ready].status,`},
		{"two fields, one after the other", nil, statusWriter{
			undone:  func(s testapi.Status) bool { return s.Phase == "theirs" && s.ObservedGeneration == 7 },
			kind:    types.MergePatchType,
			patches: []string{`{"status":{"phase":"theirs"}}`, `{"status":{"observedGeneration":7}}`},
		}, `field manager "other-manager" keeps changing status.`},
		{"a field that Sync leaves out", desireNoPhase, phaseWriter, `field manager "other-manager" keeps changing status.phase,`},
		{"a condition that is removed", nil, statusWriter{
			undone:  func(s testapi.Status) bool { return len(s.Conditions) == 0 },
			kind:    types.JSONPatchType,
			patches: []string{`[{"op":"remove","path":"/status/conditions/0"}]`},
		}, `somebody keeps changing status.conditions,`},
		{"the whole status", nil, statusWriter{
			undone:  func(s testapi.Status) bool { return s.Phase == "" },
			kind:    types.JSONPatchType,
			patches: []string{`[{"op":"replace","path":"/status","value":{}}]`},
		}, `somebody keeps changing status,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.sync == nil {
				test.sync = desire(func(*Desired) {})
			}
			f := start(t, &author{sync: test.sync})
			want := f.status("Ready", "Ready")
			before := f.Settled()
			f.StopClock()
			if undone := f.undoWrites(test.other); undone > 4 {
				t.Errorf("the other had to undo %d writes", undone)
			}
			f.Settled()
			if writes := f.statusWrites(before); writes != 2 {
				t.Errorf("%d writes of the status, want the 2 repairs that are free", writes)
			}
			f.Get(f.site)
			if !test.other.undone(f.site.Status) {
				t.Errorf("status is %+v, though its repair is delayed", f.site.Status)
			}
			events := f.events()
			if len(events) != 1 || !strings.HasPrefix(events[0], "Warning FieldConflict: the status: "+test.told) {
				t.Errorf("events are %q, want one that begins with %q", events, "Warning FieldConflict: the status: "+test.told)
			}

			before = f.Settled()
			f.Advance(10 * time.Second) // the other manager stops
			f.Get(f.site)
			if got := f.site.Status; got.Phase != want.Phase || got.ObservedGeneration != want.ObservedGeneration ||
				len(got.Conditions) != 1 || got.Conditions[0].Status != "True" {
				t.Errorf("status is %+v\nwant %+v", got, want)
			}
			f.Settled()
			f.expectRequests(before, "patch sites/status web: 200")
		})
	}
}

func desireNoPhase(context.Context, *Request) (*Response, error) {
	return &Response{Children: new(Desired), Status: new(testapi.Status)}, nil
}

func TestNewStatusIsWrittenDuringAFieldConflict(t *testing.T) {
	saying := func(phase, reason string) Function {
		return func(context.Context, *Request) (*Response, error) {
			conditions := []metav1.Condition{{Type: "Warm", Status: "True", Reason: reason}}
			return &Response{Children: new(Desired), Status: &testapi.Status{Phase: phase}, Conditions: conditions}, nil
		}
	}
	f := start(t, &author{sync: saying("one", "Heated")})
	f.status("Warm", "Heated")
	f.StopClock()
	f.undoWrites(phaseWriter)
	expect := func(phase, reason string) {
		t.Helper()
		f.reconcile()
		if status := f.status("Warm", reason); status.Phase != phase {
			t.Errorf("phase is %q, want %q", status.Phase, phase)
		}
	}
	expect("theirs", "Heated")

	f.setSync(saying("one", "StillHeated")) // which the other leaves alone
	expect("theirs", "StillHeated")
	f.setSync(saying("two", "StillHeated"))
	expect("two", "StillHeated")

	f.undoWrites(phaseWriter)
	expect("theirs", "StillHeated")
	f.setSync(saying("theirs", "StillHeated")) // for a while both want the same
	expect("theirs", "StillHeated")
	f.setSync(saying("two", "StillHeated"))
	expect("two", "StillHeated")

	f.undoWrites(phaseWriter)
	expect("theirs", "StillHeated")
	f.Update(f.site, func() { f.site.Spec.Text = "another generation" })
	f.Eventually("it is observed", func() error {
		if f.Get(f.site); f.site.Status.ObservedGeneration != 2 {
			return fmt.Errorf("status is %+v", f.site.Status)
		}
		return nil
	})
	if f.site.Status.Phase != "two" {
		t.Errorf("phase is %q in the new generation", f.site.Status.Phase)
	}
}

// What flips because the world does needs no repair.
func TestStatusThatFollowsChangesIsNotDelayed(t *testing.T) {
	f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want, status := new(Desired), testapi.Status{Phase: "Waiting", Unknown: "pruned"}
		want.Pods.Add(pod("web", "web:1"))
		if req.Children.Pods.Ready("web") {
			status.Phase = "Running"
		}
		return &Response{Children: want, Status: &status}, nil
	}})
	f.status("Ready", "Progressing")
	child := named(&corev1.Pod{}, "web")
	for i := range 10 {
		isReady, phase := corev1.ConditionTrue, "Running"
		if i%2 == 1 {
			isReady, phase = corev1.ConditionFalse, "Waiting"
		}
		f.UpdateStatus(child, func() {
			child.Status.Phase = corev1.PodRunning
			child.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: isReady}}
		})
		f.reconcile()
		if f.Get(f.site); f.site.Status.Phase != phase {
			t.Errorf("flip %d: phase is %q, want %q", i, f.site.Status.Phase, phase)
		}
	}
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
}

func TestSuspensionFieldConflict(t *testing.T) {
	f := start(t, &author{sync: desire(func(*Desired) {})})
	f.status("Ready", "Ready")
	f.Update(f.site, func() { metav1.SetMetaDataAnnotation(&f.site.ObjectMeta, testapi.Version.Group+"/paused", "true") })
	f.status("Suspended", "Paused")
	before := f.Settled()
	f.StopClock()
	other := statusWriter{
		undone:  func(s testapi.Status) bool { return len(s.Conditions) < 2 },
		kind:    types.JSONPatchType,
		patches: []string{`[{"op":"test","path":"/status/conditions/1/type","value":"Suspended"},{"op":"remove","path":"/status/conditions/1"}]`},
	}
	f.undoWrites(other)
	f.Settled()
	if writes := f.statusWrites(before); writes != 2 {
		t.Errorf("%d writes of the status, want the 2 that are free", writes)
	}
	f.Advance(10 * time.Second)
	f.status("Suspended", "Paused")
}
