package operator_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

func (a *author) called() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reconciles
}

func TestSyncThatDesiresSomethingElseEachTimeBacksOff(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	next := func() string { return fmt.Sprint(n.Add(1)) }
	for name, test := range map[string]struct {
		sync  Function
		wrote string
	}{
		"a value of a child": {
			desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", next())) }), "/web)",
		},
		"a name of a child": {
			desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web-"+next(), "one")) }), "/web-",
		},
		"a field of the status": {
			func(context.Context, *Request) (*Response, error) {
				return &Response{Children: new(Desired), Status: &testapi.Status{Phase: next()}}, nil
			}, "(now status.phase)",
		},
		"why a child is not ready": {
			desire(func(want *Desired) {
				want.ConfigMaps.Add(configMap("web", "one"), operator.ReadyIf(false, "lags by "+next()))
			}), "(now status",
		},
		"a label of the parent": {
			func(context.Context, *Request) (*Response, error) {
				return &Response{Children: new(Desired), Labels: map[string]string{"n": next()}}, nil
			}, "(now metadata.labels and metadata.annotations)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, &author{sync: test.sync})
			f.Eventually("an Event tells of it", func() error {
				for _, note := range f.events() {
					if strings.HasPrefix(note, "Warning HotLoop: Sync desires something else in each reconcile") && strings.Contains(note, test.wrote) {
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
			f.reconcile() // what others change is seen at once
			f.setSync(desire(desireOne))
			f.reconcile()
			f.Exists(configMap("web", ""))
			f.Settled()
		})
	}
}

func TestLongRollIsNoHotLoop(t *testing.T) {
	const children = 60 // more than a Sync that never settles is allowed
	rolls := func(value string) Function {
		return func(_ context.Context, req *Request) (*Response, error) {
			want := new(Desired)
			for i := range children {
				want.ConfigMaps.Add(configMap(fmt.Sprintf("web-%02d", i), value), operator.RollingInPlace)
			}
			return &Response{Children: want, Status: &req.Parent.Status}, nil // with conditions that tell of the roll
		}
	}
	f := start(t, &author{sync: rolls("one")})
	f.status("Ready", "Ready")
	before := f.called()
	f.setSync(rolls("two"))
	f.reconcile()
	f.Eventually("the last is rolled", func() error {
		last := configMap(fmt.Sprintf("web-%02d", children-1), "")
		if f.Get(last); last.Data["key"] != "two" {
			return fmt.Errorf("it is %q", last.Data["key"])
		}
		return nil
	})
	f.status("Ready", "Ready")
	if calls := f.called() - before; calls < children {
		t.Errorf("it took %d reconciles, so that this tests nothing", calls)
	}
	if events := f.events(); len(events) > 0 {
		t.Errorf("events are %q", events)
	}
}
