package operator_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// outside is what no watch shows: the role of each Site's database.
type outside struct {
	mu    sync.Mutex
	roles map[string]string
	asked int
}

func (o *outside) ask(_ context.Context, name string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if role, ok := o.roles[name]; ok {
		return role, nil
	}
	return "", errors.New("no database")
}

func (o *outside) set(name, role string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.roles[name] = role
}

func (o *outside) calls() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked
}

// followRole desires a ConfigMap with the role of the database.
func followRole(roles *operator.Poller[string, string]) Function {
	return func(_ context.Context, req *Request) (*Response, error) {
		role := roles.Answers(req.Parent, req.Parent.Name)[req.Parent.Name]
		if !role.IsFresh(req.Now, time.Hour) {
			return &Response{Status: &testapi.Status{Phase: "Unknown"}}, nil
		}
		want := new(Desired)
		want.ConfigMaps.Add(configMap(req.Parent.Name, role.Value))
		return &Response{Children: want, Status: &testapi.Status{Phase: role.Value}}, nil
	}
}

// startPolled runs an operator with a Poller that asks every 20 ms.
func startPolled(t *testing.T) (*fixture, *outside) {
	t.Helper()
	world := &outside{roles: map[string]string{"web": "primary"}}
	roles := operator.NewPoller(20*time.Millisecond, world.ask)
	f := start(t, &author{sync: followRole(roles), triggers: []operator.TriggerSource{roles}})
	f.phase("primary")
	return f, world
}

// phase waits until the Site says what Sync has found.
func (f *fixture) phase(want string) {
	f.t.Helper()
	f.Eventually("the phase is "+want, func() error {
		if f.Get(f.site); f.site.Status.Phase != want {
			return fmt.Errorf("it is %q", f.site.Status.Phase)
		}
		return nil
	})
}

func (f *fixture) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reconciles
}

func TestSyncIsCalledWhenAnAnswerChangesAndNotBefore(t *testing.T) {
	f, world := startPolled(t)
	f.Settled()
	reconciles, asked := f.count(), world.calls()
	f.Eventually("the poller has asked some times more", func() error {
		if world.calls() < asked+10 {
			return fmt.Errorf("%d calls", world.calls()-asked)
		}
		return nil
	})
	if n := f.count() - reconciles; n != 0 {
		t.Errorf("%d reconciles although no answer has changed", n)
	}
	world.set("web", "replica")
	f.phase("replica")
	f.expectData("replica")
	f.Restart()
	world.set("web", "primary")
	f.phase("primary") // the answers from before the restart are unknown
	f.expectData("primary")
}

// expectData waits until the ConfigMap has a value.
func (f *fixture) expectData(value string) {
	f.t.Helper()
	child := configMap(f.site.Name, "")
	f.Eventually("the ConfigMap has "+value, func() error {
		if !f.Get(child) || child.Data["key"] != value {
			return fmt.Errorf("it has %v", child.Data)
		}
		return nil
	})
}

func TestNobodyIsAskedAboutAParentThatIsGone(t *testing.T) {
	f, world := startPolled(t)
	f.Delete(f.site)
	f.Gone(f.site)
	f.Settled()
	f.Eventually("the poller asks no more", func() error {
		asked := world.calls()
		time.Sleep(200 * time.Millisecond)
		if n := world.calls() - asked; n > 0 {
			return fmt.Errorf("%d calls", n)
		}
		return nil
	})
}

// Two Sites share a Poller, and each hears of its own database alone.
func TestAnAnswerWakesOnlyThoseWhoReadIt(t *testing.T) {
	f, world := startPolled(t)
	world.set("other", "primary")
	other := site("other")
	f.Create(other)
	f.Exists(configMap("other", ""))
	f.Settled()
	version := other.ResourceVersion
	if f.Get(other); version == "" {
		t.Fatal("the other Site has no version")
	}
	before := f.count()
	world.set("web", "replica")
	f.phase("replica")
	f.Settled()
	if n := f.count() - before; n > 3 { // the change, and what its writes cause
		t.Errorf("%d reconciles for one answer", n)
	}
}

// A triggered reconcile does not wait for the retry of one that failed.
func TestATriggerEndsABackoff(t *testing.T) {
	var trigger operator.Trigger
	var mu sync.Mutex
	works := false
	f := start(t, &author{triggers: []operator.TriggerSource{&trigger}, sync: func(context.Context, *Request) (*Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if !works {
			return nil, errors.New("the primary is down")
		}
		return &Response{Status: &testapi.Status{Phase: "Up"}}, nil
	}})
	f.StopClock() // no retry is due any more
	f.status("Ready", "SyncFailed")
	mu.Lock()
	works = true
	mu.Unlock()
	trigger.Reconcile(types.NamespacedName{Namespace: f.Namespace, Name: "nobody"})
	trigger.Reconcile(client.ObjectKeyFromObject(f.site))
	f.phase("Up")
	f.Stop()
	trigger.Reconcile(client.ObjectKeyFromObject(f.site)) // nobody listens
}
