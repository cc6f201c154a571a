package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

// lateSync desires a ConfigMap, and asks for a reconcile at a time that has passed.
func lateSync(context.Context, *Request) (*Response, error) {
	want := new(Desired)
	desireOne(want)
	return &Response{Children: want, Status: &testapi.Status{Phase: "Synced"}, RequeueAfter: -time.Hour}, nil
}

func TestRequeueAtATimeThatHasPassedIsNowAndThenAHotLoop(t *testing.T) {
	f := start(t, &author{sync: lateSync})
	f.Eventually("an Event tells of it", func() error {
		for _, note := range f.events() {
			if strings.HasPrefix(note, "Warning HotLoop: Sync asks for a reconcile at a time that has passed") {
				return nil
			}
		}
		return fmt.Errorf("events are %q", f.events())
	})
	f.Settled()
	before := f.called()
	time.Sleep(3 * time.Second)
	if calls := f.called() - before; calls > 0 {
		t.Errorf("Sync was called %d times in 3 s", calls)
	}
	f.Advance(35 * time.Second) // after 10 s and 20 s more
	if calls := f.called() - before; calls < 1 || calls > 4 {
		t.Errorf("Sync was called %d times in 35 s", calls)
	}
}

// One reconcile more is asked for, in which Sync sees that all is done.
func TestRequeueAtATimeThatHasPassedIsOneReconcile(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.Settled()
	n := 0
	f.setSync(func(context.Context, *Request) (*Response, error) {
		if n++; n == 1 {
			return lateSync(t.Context(), nil)
		}
		want := new(Desired)
		desireOne(want)
		return &Response{Children: want, Status: &testapi.Status{Phase: "Late"}}, nil
	})
	f.Reconcile(f.site)
	f.Eventually("the second answer is there", func() error {
		if f.Get(f.site); f.site.Status.Phase != "Late" {
			return fmt.Errorf("status is %+v", f.site.Status)
		}
		return nil
	})
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
	f.Converged(f.site)
}

// Another answer each time is a hot loop, whatever Sync asks for.
func TestRequeueAtATimeThatHasPassedHidesNoHotLoop(t *testing.T) {
	n := 0
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) {
		n++
		return &Response{Children: new(Desired), Status: &testapi.Status{Phase: fmt.Sprint(n)}, RequeueAfter: -1}, nil
	}})
	f.Eventually("an Event tells of it", func() error {
		for _, note := range f.events() {
			if strings.HasPrefix(note, "Warning HotLoop: Sync desires something else in each reconcile") {
				return nil
			}
		}
		return fmt.Errorf("events are %q", f.events())
	})
	before := f.called()
	time.Sleep(3 * time.Second)
	if calls := f.called() - before; calls > 1 {
		t.Errorf("Sync was called %d times in 3 s", calls)
	}
}

func TestRequeueAtATimeThatHasPassedDelaysNoRepair(t *testing.T) {
	f := start(t, &author{sync: lateSync})
	f.status("Ready", "Ready")
	f.Settled()
	f.Advance(10 * time.Minute) // it asks every 5 min now
	child := configMap("web", "")
	for n := range 3 {
		f.Update(child, func() { child.Data["key"] = fmt.Sprint("theirs ", n) })
		if n < 2 {
			f.Eventually("the drift is repaired", func() error { return expectValue(f.Cluster, child, "one") })
		}
	}
	f.status("Ready", "FieldConflict")
	f.Settled()
	f.Advance(11 * time.Second)
	f.Eventually("the drift is repaired", func() error { return expectValue(f.Cluster, child, "one") })
}

func TestRequeueAtATimeThatHasPassedDelaysNoHourlyWrite(t *testing.T) {
	f := prepare(t, &author{sync: lateSync})
	restore := f.Mutate(&corev1.ConfigMap{}, `{"data":{"key":"altered"}}`)
	f.Create(f.site)
	f.status("Ready", "ChangedByAdmission")
	f.Settled()
	restore()
	f.Advance(time.Hour + time.Minute)
	f.Eventually("the desired value is there", func() error { return expectValue(f.Cluster, configMap("web", ""), "one") })
}
