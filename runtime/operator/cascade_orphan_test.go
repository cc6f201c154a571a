package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// startSpread runs an operator whose Sites have children with an owner reference, unless they go in
// order, and one in another namespace.
func startSpread(t *testing.T, change func(*definition)) (c *custom, site *testapi.Site, children []client.Object) {
	t.Helper()
	var other string
	c = startCustomEverywhere(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("near", ""))
		want.Secrets.Add(named(&corev1.Secret{}, "near"))
		if other != "" {
			want.ConfigMaps.Add(distant(other, "far", ""))
		}
	}), func(d *definition) {
		if anywhere(d); change != nil {
			change(d)
		}
	})
	other = c.elsewhere()
	site = c.site("web")
	children = []client.Object{configMap("near", ""), named(&corev1.Secret{}, "near"), distant(other, "far", "")}
	c.Exists(children...)
	c.says(site, allReady)
	return c, site, children
}

// deleteOrphaning deletes a Site as kubectl delete --cascade=orphan does.
func (c *custom) deleteOrphaning(site *testapi.Site) {
	c.t.Helper()
	if err := c.Client.Delete(c.t.Context(), site, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		c.t.Fatal(err)
	}
}

// expectKept fails the test if one of these children was deleted, or still has an owner.
func (c *custom) expectKept(children []client.Object) {
	c.t.Helper()
	for _, child := range children {
		uid := child.GetUID()
		if !c.Get(child) || child.GetUID() != uid || child.GetDeletionTimestamp() != nil || len(child.GetOwnerReferences()) > 0 {
			c.t.Errorf("%T %s: UID %s, before %s; deleted at %v; owners %v", child, child.GetName(), child.GetUID(), uid, child.GetDeletionTimestamp(), child.GetOwnerReferences())
		}
	}
}

// collected waits until the garbage collector has done its part for a Site.
func (c *custom) collected(site *testapi.Site) {
	c.t.Helper()
	c.Eventually("the garbage collector takes its finalizer off", func() error {
		if c.Get(site); site.DeletionTimestamp == nil || slices.Contains(site.Finalizers, metav1.FinalizerOrphanDependents) {
			return errors.New("it has not")
		}
		return nil
	})
}

func TestKubectlCascadeOrphanKeepsEveryChild(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*definition){
		"with children in other namespaces": nil,
		"with an ordered teardown":          func(d *definition) { d.Teardown = operator.TeardownOrdered },
		"with a Finalize that desires fewer": func(d *definition) {
			d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
				want := new(Desired)
				if req.Children.Secrets.Len() > 0 {
					want.ConfigMaps.Add(configMap("near", ""))
				}
				return &Response{Children: want, Finalized: req.Children.ConfigMaps.Len() == 0}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, site, children := startSpread(t, change)
			c.deleteOrphaning(site)
			c.Gone(site)
			c.Settled()
			c.expectKept(children)
		})
	}
}

// The garbage collector is done before a worker is free. What the event showed is gone then.
func TestKubectlCascadeOrphanIsNotedWhileTheWorkerIsBusy(t *testing.T) {
	var mu sync.Mutex
	c, site, children := startSpread(t, func(d *definition) {
		d.Teardown = operator.TeardownOrdered
		sync := d.Sync
		d.Sync = func(ctx context.Context, req *customRequest) (*Response, error) {
			mu.Lock()
			defer mu.Unlock()
			return sync(ctx, req)
		}
	})
	mu.Lock()
	c.touch(site, "changed") // has a worker wait
	c.deleteOrphaning(site)
	c.collected(site)
	mu.Unlock()
	c.Gone(site)
	c.Settled()
	c.expectKept(children)
}

func TestCrashWhileAllChildrenAreOrphanedKeepsTheRest(t *testing.T) {
	c, site, children := startSpread(t, func(d *definition) { d.Teardown = operator.TeardownOrdered })
	c.Settled()
	crash := operatortest.Fault{Verb: "patch", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.Crash}
	c.Inject(crash)
	c.deleteOrphaning(site)
	c.Gone(site)
	c.Settled()
	c.expectKept(children)
	if c.Struck(crash) != 1 {
		t.Error("the operator did not crash")
	}
}

// What the garbage collector has done to the children with an owner reference shows what the user
// asked for.
func TestKubectlCascadeOrphanWhileTheOperatorIsDownShowsInLostReferences(t *testing.T) {
	c, site, children := startSpread(t, nil)
	c.Settled()
	c.Stop()
	c.deleteOrphaning(site)
	c.collected(site)
	c.Restart()
	c.Gone(site)
	c.Settled()
	c.expectKept(children)
}

// A reference that somebody has taken off while the parent lived says nothing about its deletion.
func TestLostReferenceOfALivingParentIsRestored(t *testing.T) {
	c, site, children := startSpread(t, nil)
	c.Settled()
	c.Stop()
	near := children[0]
	c.Update(near, func() { near.SetOwnerReferences(nil) })
	c.Restart()
	c.Converged(site)
	if c.Get(near); len(near.GetOwnerReferences()) != 1 {
		t.Fatalf("owners are %v", near.GetOwnerReferences())
	}
	c.Delete(site)
	c.Gone(append(children, site)...)
}

// The event shows only this process what the user asked for. A parent that Sync and Finalize are not
// called for has to keep it, too.
func TestKubectlCascadeOrphanOfAPausedParentIsKnownAfterACrash(t *testing.T) {
	c, site, children := startSpread(t, func(d *definition) { d.Teardown = operator.TeardownOrdered })
	paused := c.group + "/paused"
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, paused, "true") })
	c.Settled()
	c.deleteOrphaning(site)
	c.collected(site)
	c.Settled()
	c.Crash()
	c.Update(site, func() { delete(site.Annotations, paused) })
	c.Gone(site)
	c.Settled()
	c.expectKept(children)
}

func TestKubectlCascadeOrphanWhileSyncHangsIsKnownAfterACrash(t *testing.T) {
	hangs, release := make(chan struct{}), make(chan struct{})
	c, site, children := startSpread(t, func(d *definition) {
		d.Teardown, d.Timeout = operator.TeardownOrdered, 300*time.Millisecond
		sync := d.Sync
		d.Sync = func(ctx context.Context, req *customRequest) (*Response, error) {
			if req.Parent.Spec.Text == "hangs" {
				close(hangs)
				<-release
			}
			return sync(ctx, req)
		}
	})
	c.touch(site, "hangs")
	<-hangs
	c.deleteOrphaning(site)
	c.collected(site)
	c.Eventually("the operator records it", func() error {
		if c.Get(site); site.Annotations[c.group+"/orphaning"] != string(site.UID) {
			return fmt.Errorf("annotations are %v", site.Annotations)
		}
		return nil
	})
	close(release)
	c.Crash()
	c.Gone(site)
	c.Settled()
	c.expectKept(children)
}

// A child that never had an owner reference shows nothing about the deletion when somebody takes its
// annotation off.
func TestChildThatLostItsAnnotationOrphansNoOtherChild(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(*definition)
		options []operator.ChildOption
	}{
		"with an ordered teardown": {change: func(d *definition) { d.Teardown = operator.TeardownOrdered }},
		"of a kind that is orphaned": {change: func(d *definition) {
			d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
				all := kinds(observed, desired)
				all[0].WhenDeleted = operator.Orphan
				return all
			}
		}},
		"that is orphaned by an option": {options: orphaned},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
				want.ConfigMaps.Add(configMap("near", ""), test.options...)
				want.Secrets.Add(named(&corev1.Secret{}, "near"))
			}), test.change)
			site, robbed, other := c.site("web"), configMap("near", ""), named(&corev1.Secret{}, "near")
			c.says(site, allReady)
			c.Settled()
			c.Stop()
			c.Exists(robbed)
			c.Update(robbed, func() { delete(robbed.Annotations, c.group+"/parent") })
			c.Delete(site)
			c.Restart()
			c.Gone(site, other)
		})
	}
}
