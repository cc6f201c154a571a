package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// limited alters a controller to give its author this time and these attempts.
func limited(timeout time.Duration, retries int) func(*siteDefinition) {
	return func(d *siteDefinition) { d.Timeout, d.Retries = timeout, retries }
}

func TestSyncThatTakesTooLongIsStopped(t *testing.T) {
	good := desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })
	a := &author{sync: good, alter: limited(300*time.Millisecond, 0)}
	f := start(t, a)
	f.status("Ready", "Ready")
	a.setSync(func(ctx context.Context, _ *Request) (*Response, error) {
		<-ctx.Done()
		return &Response{Children: new(Desired)}, fmt.Errorf("ask the backend: %w", ctx.Err())
	})
	f.reconcile()
	status := f.status("Ready", "SyncTimedOut")
	const message = "Sync did not end within 300ms: ask the backend: context deadline exceeded"
	if got := meta.FindStatusCondition(status.Conditions, "Ready").Message; got != message {
		t.Errorf("message is %q, want %q", got, message)
	}
	f.expectEvents("Warning SyncTimedOut: " + message)
	f.Exists(named(&corev1.ConfigMap{}, "web"))
	a.setSync(good)
	f.reconcile()
	f.status("Ready", "Ready")
}

// A Sync that does not listen to its context cannot be stopped. Its parent
// waits for it, and no other does.
func TestSyncThatDoesNotReturnHoldsUpItsOwnParentOnly(t *testing.T) {
	release := make(chan struct{})
	var running, most, calls atomic.Int32
	a := &author{alter: func(d *siteDefinition) {
		d.Timeout = 300 * time.Millisecond
		d.Sync = func(ctx context.Context, req *Request) (*Response, error) {
			if req.Parent.Spec.Text == "hangs" {
				calls.Add(1)
				most.Store(max(most.Load(), running.Add(1)))
				<-release
				running.Add(-1)
			}
			return desire(func(want *Desired) { want.ConfigMaps.Add(configMap(req.Parent.Name, "one")) })(ctx, req)
		}
	}}
	f := start(t, a)
	f.Exists(configMap("web", ""))
	for i := range 12 { // more than there are workers
		hanging := site(fmt.Sprintf("hanging-%d", i))
		hanging.Spec.Text = "hangs"
		f.Create(hanging)
	}
	hanging := &fixture{Cluster: f.Cluster, t: t, site: site("hanging-0")}
	message := meta.FindStatusCondition(hanging.status("Ready", "SyncTimedOut").Conditions, "Ready").Message
	if want := "Sync did not end within 300ms and still runs: it must return when its context ends"; message != want {
		t.Errorf("message is %q, want %q", message, want)
	}
	f.Create(site("other"))
	f.Exists(configMap("other", ""))
	f.Eventually("every hanging Site was tried", func() error {
		if calls.Load() < 12 {
			return fmt.Errorf("%d were", calls.Load())
		}
		return nil
	})
	time.Sleep(2 * time.Second) // in which retries would come
	if most.Load() > 12 || calls.Load() > 12 {
		t.Errorf("Sync ran %d times, %d at once, for 12 parents", calls.Load(), most.Load())
	}
	close(release)
	hanging.status("Ready", "Ready")
	f.Exists(configMap("hanging-0", ""))
}

func TestGivesUpAfterSoManyFailures(t *testing.T) {
	var calls atomic.Int32
	a := &author{alter: limited(0, 3), sync: func(context.Context, *Request) (*Response, error) {
		calls.Add(1)
		return nil, errors.New("the backend is away")
	}}
	f := start(t, a)
	gaveUp := func() {
		t.Helper()
		const message = "gave up after 3 attempts and waits for a change: the backend is away"
		f.Eventually("it gives up", func() error {
			f.Get(f.site)
			stalled := meta.FindStatusCondition(f.site.Status.Conditions, "Stalled")
			if stalled == nil || stalled.Reason != "SyncFailed" || stalled.Message != message {
				return fmt.Errorf("conditions are %+v", f.site.Status.Conditions)
			}
			if meta.IsStatusConditionTrue(f.site.Status.Conditions, "Ready") || meta.IsStatusConditionTrue(f.site.Status.Conditions, "Reconciling") {
				return fmt.Errorf("conditions are %+v", f.site.Status.Conditions)
			}
			return nil
		})
		time.Sleep(2 * time.Second) // more than two retries would take
	}
	gaveUp()
	if got := calls.Swap(0); got != 3 {
		t.Errorf("Sync was called %d times, want 3", got)
	}
	f.expectEvents("Warning SyncFailed: the backend is away", "Warning SyncFailed: gave up after 3 attempts and waits for a change: the backend is away")

	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	f.Eventually("it starts again", func() error {
		if calls.Load() < 3 {
			return fmt.Errorf("Sync was called %d times", calls.Load())
		}
		return nil
	})
	gaveUp()
	if got := calls.Load(); got != 3 {
		t.Errorf("Sync was called %d times after a change, want 3", got)
	}
}

func TestGivesUpOnAChildThatIsRefused(t *testing.T) {
	a := &author{alter: limited(0, 2), sync: desire(func(want *Desired) { want.Services.Add(service("Not A Name")) })}
	f := start(t, a)
	message := meta.FindStatusCondition(f.status("Stalled", "InvalidChild").Conditions, "Stalled").Message
	if !strings.HasPrefix(message, "gave up after 2 attempts and waits for a change: Service ") {
		t.Errorf("message is %q", message)
	}
}

func TestErrorsThatAlternateAreToldOfOnce(t *testing.T) {
	calls := 0
	a := &author{sync: func(context.Context, *Request) (*Response, error) {
		calls++
		return nil, fmt.Errorf("backend %d is away", calls%2)
	}}
	f := start(t, a)
	for range 3 {
		f.reconcile()
	}
	time.Sleep(time.Second)
	notes := f.events()
	if len(notes) != 2 || notes[0] == notes[1] {
		t.Errorf("events are %q, want one about each of two errors", notes)
	}
}

func TestParentsThatFailLeaveOthersAlone(t *testing.T) {
	a := &author{sync: func(ctx context.Context, req *Request) (*Response, error) {
		switch req.Parent.Spec.Text {
		case "fails":
			return nil, errors.New("the backend is away")
		case "panics":
			panic("index out of range")
		}
		return desire(func(want *Desired) { want.ConfigMaps.Add(configMap(req.Parent.Name, "one")) })(ctx, req)
	}}
	f := start(t, a)
	for i := range 10 {
		failing, panicking := site(fmt.Sprintf("failing-%d", i)), site(fmt.Sprintf("panicking-%d", i))
		failing.Spec.Text, panicking.Spec.Text = "fails", "panics"
		f.Create(failing, panicking)
	}
	f.Create(site("other"))
	f.Exists(configMap("other", ""))
	for name, reason := range map[string]string{"failing-9": "SyncFailed", "panicking-9": "SyncPanicked", "other": "Ready"} {
		one := &fixture{Cluster: f.Cluster, t: t, site: site(name)}
		one.status("Ready", reason)
	}
}
