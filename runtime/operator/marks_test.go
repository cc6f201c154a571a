package operator_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// keepSeen is a Sync that makes a claim once, and then keeps those that it sees. It counts what it
// has made.
func keepSeen(made *atomic.Int64, options ...operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		if req.Children.ConfigMaps.Len() == 0 {
			want.ConfigMaps.Add(configMap(fmt.Sprint("claim-", made.Add(1)), ""), options...)
		}
		for claim := range req.Children.ConfigMaps.All() {
			want.ConfigMaps.Keep(claim.Name)
		}
	})
}

// Somebody takes the label off while Sync runs, after it has got its snapshot.
func TestChildThatIsStrippedWhileSyncRunsIsNotForgotten(t *testing.T) {
	var made atomic.Int64
	begun, goOn := make(chan struct{}, 1), make(chan struct{})
	keep := keepSeen(&made)
	c := startCustom(t, keep, nil)
	site, claim := c.site("web"), configMap("claim-1", "")
	c.says(site, allReady)
	c.Exists(claim)
	c.Settled()
	var isBlocking atomic.Bool
	isBlocking.Store(true)
	c.setSync(func(ctx context.Context, req *customRequest) (*Response, error) {
		if isBlocking.Swap(false) {
			begun <- struct{}{}
			<-goOn
		}
		return keep(ctx, req)
	})
	c.touch(site, "again")
	<-begun
	c.unlabel(claim)
	time.Sleep(time.Second) // until the watch has shown it
	close(goOn)
	c.belongs(claim, site)
	c.Settled()
	if made.Load() != 1 {
		t.Errorf("%d claims were made", made.Load())
	}
}

// A script takes the label off all children of a parent while the operator is down.
func TestManyChildrenThatLostTheirMarksDuringAStop(t *testing.T) {
	const children = 25
	var absent atomic.Int64
	c := startCustom(t, func(_ context.Context, req *customRequest) (*Response, error) {
		want, response := new(Desired), &Response{Status: &testapi.Status{Phase: "Synced"}}
		if req.Children.ConfigMaps.Len() < children && req.Parent.Status.Phase != "" {
			absent.Add(1)
			response.Labels = map[string]string{"test.opgen.dev/absent": "true"}
		}
		for i := range children {
			want.ConfigMaps.Add(configMap(fmt.Sprintf("child-%02d", i), ""))
		}
		response.Children = want
		return response, nil
	}, func(d *definition) { d.ParentMetadata = true })
	site := c.site("web")
	c.says(site, allReady)
	c.Settled()
	absent.Store(0)
	c.Stop()
	for i := range children {
		child := configMap(fmt.Sprintf("child-%02d", i), "")
		c.Get(child)
		c.unlabel(child)
	}
	c.Restart()
	for i := range children {
		c.belongs(configMap(fmt.Sprintf("child-%02d", i), ""), site)
	}
	c.says(site, allReady)
	c.Settled()
	if absent.Load() > 2 {
		t.Errorf("%d answers took children for absent", absent.Load())
	}
	if c.Get(site); site.Labels["test.opgen.dev/absent"] != "" {
		t.Error("the labels of an answer were written that took children for absent")
	}
}

// Somebody restores a child from a copy, and Sync does not see it: what else it desires then is wrong.
func TestNothingFollowsFromACopyThatTakesTheNameOfAChild(t *testing.T) {
	var made atomic.Int64
	c := startCustom(t, generatePassword(&made), nil)
	site, password, node := c.site("web"), configMap("password", ""), configMap("a-node", "")
	c.says(site, allReady)
	c.Exists(password, node)
	c.Settled()
	c.Stop()
	c.Delete(password)
	restored := copyOf(password, "password")
	delete(restored.Annotations, c.group+"/created-as") // of an earlier release
	c.makeAs("kubectl-client-side-apply", restored)
	c.Restart()
	c.Eventually("the name is taken", func() error { return hasNameConflict(c, site) })
	c.touch(site, "try again")
	c.Reconcile(site)
	if c.Get(node); node.Data["key"] != "1" {
		t.Errorf("the node has got the password %s", node.Data["key"])
	}
	c.clearManagedFields(restored)
	c.says(site, allReady)
	if c.Get(node); node.Data["key"] != "1" {
		t.Errorf("the node has got the password %s", node.Data["key"])
	}
}

// Each answer has another password, so that none is the repetition of one that was refused.
func TestRandomChildThatIsRefusedIsAHotLoop(t *testing.T) {
	var made atomic.Int64
	c := startCustom(t, customDesire(func(_ *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("password", fmt.Sprint(made.Add(1))))
	}), nil)
	c.Create(configMap("password", "of somebody else"))
	site := c.site("web")
	c.Eventually("the name is taken", func() error { return hasNameConflict(c, site) })
	c.Eventually("an Event speaks of a hot loop", func() error {
		events := new(eventsv1.EventList)
		if err := c.Client.List(t.Context(), events, client.InNamespace(c.Namespace)); err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool { return e.Reason == "HotLoop" }) {
			return fmt.Errorf("%d passwords were made", made.Load())
		}
		return nil
	})
	before := made.Load()
	time.Sleep(5 * time.Second)
	if more := made.Load() - before; more > 1 {
		t.Errorf("%d more passwords were made in 5 s", more)
	}
}

// A webhook that takes away labels which it does not know comes later than the children.
func TestWebhookThatStripsAChildHoldsUpNothingElse(t *testing.T) {
	var made atomic.Int64
	generate := generatePassword(&made)
	c := startCustom(t, func(ctx context.Context, req *customRequest) (*Response, error) {
		response, err := generate(ctx, req)
		secret := named(&corev1.Secret{}, "other")
		secret.StringData = map[string]string{"text": req.Parent.Spec.Text}
		response.Children.Secrets.Add(secret)
		return response, err
	}, func(d *definition) {
		d.Finalize = func(context.Context, *customRequest) (*Response, error) { return &Response{Finalized: true}, nil }
	})
	site, password := c.site("web"), configMap("password", "")
	c.says(site, allReady)
	c.Exists(password)
	c.Settled()
	c.Mutate(&corev1.ConfigMap{}, `{"metadata":{"labels":null}}`)
	c.Update(password, func() { metav1.SetMetaDataAnnotation(&password.ObjectMeta, "edited", "true") })
	c.Eventually("it is reported", func() error { return hasReason(c, site, "FieldConflict") })
	c.touch(site, "changed")
	c.Eventually("another child is changed", func() error {
		secret := named(&corev1.Secret{}, "other")
		if c.Get(secret); string(secret.Data["text"]) != "changed" {
			return fmt.Errorf("it holds %s", secret.Data["text"])
		}
		return nil
	})
	if made.Load() != 1 {
		t.Errorf("%d passwords were made", made.Load())
	}
	c.Delete(site)
	c.Gone(site)
}

// A leaked child of an earlier parent has a label that somebody has overwritten.
func TestEditedLabelOfAChildOfAnEarlierParentGivesItToNobody(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "first" {
			want.ConfigMaps.Add(configMap("there", "first"), orphaned...)
		}
	}), nil)
	first := site("web")
	first.Labels, first.Spec.Text = map[string]string{c.group: ""}, "first"
	c.Create(first)
	child := configMap("there", "")
	c.says(first, allReady)
	c.Exists(child)
	c.Settled()
	c.Stop()
	c.Update(child, func() { child.Labels[c.group+"/site"] = "edited" })
	c.forceAway(first)
	time.Sleep(2 * time.Second) // the API server notes times in seconds
	second := c.site("web")
	c.Restart()
	c.says(second, allReady)
	c.Settled()
	if !c.Get(child) || child.Labels[c.group+"/site"] != "edited" {
		t.Errorf("the child has the labels %v", child.Labels)
	}
}

// Sync desires the child only because it sees it, and all that the label shows is whose it was.
func TestKeptChildThatLostItsReferenceDuringAStop(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]operator.ChildOption{"reference": nil, "annotation": orphaned} {
		t.Run(name, func(t *testing.T) {
			var made atomic.Int64
			c := startCustom(t, keepSeen(&made, options...), nil)
			site, claim := c.site("web"), configMap("claim-1", "")
			c.says(site, allReady)
			c.Exists(claim)
			c.Settled()
			c.Stop()
			c.Update(claim, func() { strips[name](claim, "") })
			c.Restart()
			c.Eventually("it has its marks again", func() error {
				if c.Get(claim); len(claim.OwnerReferences)+len(claim.Annotations) == 0 {
					return fmt.Errorf("it has %v", claim.ObjectMeta)
				}
				return nil
			})
			c.says(site, allReady)
			c.Settled()
			if made.Load() != 1 {
				t.Errorf("%d claims were made", made.Load())
			}
		})
	}
}

// The create of a child that comes after others would come too late.
func TestDependentThatLostItsMarksDuringAStop(t *testing.T) {
	var made atomic.Int64
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		password, ok := req.Children.ConfigMaps.Get("password")
		if !ok {
			password = configMap("password", fmt.Sprint(made.Add(1)))
		}
		node := configMap("a-node", password.Data["key"])
		want.ConfigMaps.Add(node)
		want.ConfigMaps.Add(configMap("password", password.Data["key"]), operator.After(node))
	}), nil)
	site, password, node := c.site("web"), configMap("password", ""), configMap("a-node", "")
	c.says(site, allReady)
	c.Exists(password, node)
	c.Settled()
	c.Stop()
	c.unlabel(password)
	c.Restart()
	c.belongs(password, site)
	c.says(site, allReady)
	c.Settled()
	version := node.ResourceVersion
	if c.Get(node); node.ResourceVersion != version {
		t.Errorf("the node was changed: %v", node.Data)
	}
}
