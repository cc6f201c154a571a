package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestFinalizeShrinksTheChildrenAndLetsTheParentGo(t *testing.T) {
	var calls, synced int
	ledger := []string{}
	a := &author{
		sync: func(ctx context.Context, req *Request) (*Response, error) {
			if req.Parent.DeletionTimestamp != nil {
				synced++
			}
			return desire(func(want *Desired) {
				want.ConfigMaps.Add(configMap("first", "one"))
				want.ConfigMaps.Add(configMap("second", "one"))
			})(ctx, req)
		},
		finalize: func(_ context.Context, req *Request) (*Response, error) {
			if calls++; calls == 1 {
				return nil, errors.New("try again")
			}
			want := new(Desired)
			_, first := req.Children.ConfigMaps.Get("first")
			_, second := req.Children.ConfigMaps.Get("second")
			ledger = append(ledger, fmt.Sprintf("%v %v", first, second))
			switch {
			case first:
				want.ConfigMaps.Add(configMap("second", "one"))
			case second:
			default:
				return &Response{Finalized: true}, nil
			}
			return &Response{Children: want}, nil
		},
	}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.reconcile()
	f.expectRequests(0,
		"patch sites web: 200", // the finalizer, before any child
		"create configmaps first: 201",
		"create configmaps second: 201",
		"patch sites/status web: 200",
	)
	f.Delete(f.site)
	f.Gone(f.site)
	a.mu.Lock()
	defer a.mu.Unlock()
	if got, want := fmt.Sprint(ledger), "[true true false true false false]"; got != want {
		t.Errorf("children that Finalize saw: %s, want %s", got, want)
	}
	if synced > 0 {
		t.Error("Sync ran for a parent that was being deleted")
	}
}

func TestParentThatIsBeingDeletedGetsNoChildren(t *testing.T) {
	a := &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.Update(f.site, func() { f.site.Finalizers = []string{"test.opgen.dev/someone-elses"} })
	f.Delete(f.site)
	f.Reconciled(f.site) // the operator has seen it
	child := named(&corev1.ConfigMap{}, "web")
	f.Delete(child)
	f.Gone(child)
	f.Update(f.site, func() { f.site.Finalizers = nil })
	f.Gone(f.site)
	if f.Get(child) {
		t.Error("the child came back")
	}
}

func TestFinalizerThatIsNoLongerNeededIsRemoved(t *testing.T) {
	f := start(t, &author{sync: desire(func(*Desired) {})})
	f.Update(f.site, func() { f.site.Finalizers = []string{"test.opgen.dev/finalizer"} })
	f.Eventually("the finalizer is gone", func() error {
		if f.Get(f.site); len(f.site.Finalizers) > 0 {
			return fmt.Errorf("finalizers are %v", f.site.Finalizers)
		}
		return nil
	})
}

func TestFinalizerIsRemovedThoughSyncLeavesTheChildrenAlone(t *testing.T) {
	f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) { return new(Response), nil }})
	f.Update(f.site, func() { f.site.Finalizers = []string{"test.opgen.dev/finalizer"} })
	f.Eventually("the finalizer is gone", func() error {
		if f.Get(f.site); len(f.site.Finalizers) > 0 {
			return fmt.Errorf("finalizers are %v", f.site.Finalizers)
		}
		return nil
	})
}

func TestAChildThatTheLastFinalizeMakesGoesToo(t *testing.T) {
	c := startCustom(t, customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
		d.Teardown = operator.TeardownOrdered
		d.Finalize = func(context.Context, *customRequest) (*Response, error) {
			want := new(Desired)
			want.ConfigMaps.Add(configMap("farewell", ""))
			return &Response{Children: want, Finalized: true}, nil
		}
	})
	site := c.site("web")
	c.says(site, allReady)
	c.Delete(site)
	c.Gone(site, configMap("farewell", ""))
	deleted := slices.ContainsFunc(c.Writes(), func(r operatortest.Request) bool { return r.Verb == "delete" && r.Name == "farewell" })
	if !deleted {
		t.Error("Finalize made no child")
	}
}

// awaitCollector waits until the garbage collector knows the ConfigMaps that exist now. It sees them in their order, and
// deletes one without an owner. While it does not know the children of a parent, it lets the parent go without them.
func (f *fixture) awaitCollector() {
	f.t.Helper()
	last := configMap("last", "")
	last.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "absent", UID: "00000000-0000-0000-0000-000000000000"}}
	f.Create(last)
	f.Gone(last)
}

// The garbage collector deletes all children of a parent that is deleted in the foreground, whatever
// marks they have. None is looked up, even when it has taken its finalizer off the parent.
func TestChildrenDeletedInTheForegroundAreNotReadLive(t *testing.T) {
	const children = 20
	var f *fixture
	var known atomic.Int64 // how many requests were made when the operator knew of the deletion
	collected := make(chan struct{})
	f = start(t, &author{
		sync: desire(func(want *Desired) {
			for i := range children {
				want.ConfigMaps.Add(configMap(fmt.Sprintf("web-%d", i), "one"))
			}
		}),
		finalize: func(ctx context.Context, req *Request) (*Response, error) {
			known.CompareAndSwap(0, int64(len(f.Requests())))
			select {
			case <-collected:
			case <-ctx.Done():
			}
			return &Response{Finalized: req.Children.ConfigMaps.Len() == 0}, nil
		},
	})
	f.status("Ready", "Ready")
	f.Settled()
	f.awaitCollector()
	if err := f.Client.Delete(t.Context(), f.site, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	f.Eventually("the garbage collector is done", func() error {
		if f.Get(f.site); controllerutil.ContainsFinalizer(f.site, metav1.FinalizerDeleteDependents) {
			return errors.New("it has its finalizer")
		}
		return nil
	})
	close(collected)
	f.Gone(f.site)
	f.Settled()
	for _, request := range f.Requests()[known.Load():] {
		if request.Verb == "get" && request.Resource == "configmaps" {
			t.Error(request)
		}
	}
}
