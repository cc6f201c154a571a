package apply

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestFieldConflict(t *testing.T) {
	one := configMap("key", "one", "other", "one")
	for _, strategy := range []declared.UpdateStrategy{declared.InPlace, declared.Recreate} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startServer(t).child(one, Desired{Policies: declared.Policies{Update: strategy}})
			c.expect(one, Created, "post 201")
			change := func() {
				c.t.Helper()
				c.edit("other", func(object client.Object) { object.(*corev1.ConfigMap).Data["key"] = "theirs" })
				c.edit("bystander", func(object client.Object) {
					metav1.SetMetaDataAnnotation(&object.(*corev1.ConfigMap).ObjectMeta, "a", "b")
				})
			}
			repaired := func() {
				c.t.Helper()
				if strategy == declared.Recreate {
					live := c.live()
					c.expect(one, NeedsRecreation, "dry apply 200")
					c.expect(one, NeedsRecreation, "dry apply 200") // the caller could not delete it: no second repair
					if existed, err := c.Applier.Delete(t.Context(), Key{Name: c.wish.Name}, live, metav1.DeletePropagationBackground); err != nil || !existed {
						t.Fatal(existed, err)
					}
					c.expect(one, Created, "post 201")
				} else if !c.expect(one, Updated, "apply 200").Drift {
					t.Error("the drift does not count")
				}
				c.expectAt("after a repair", "data.key", "one")
			}
			start := c.now
			for range 2 {
				change()
				repaired()
			}
			for _, wait := range []int{10, 20, 40, 80, 160, 300, 300} {
				change()
				outcome := c.expect(one, Unchanged, "get 200")
				want := &backoff.Conflict{Manager: "other", Paths: []string{"data.key"}, Retry: c.now.Add(time.Duration(wait) * time.Second)}
				if diff := cmp.Diff(want, outcome.Conflict); diff != "" || !outcome.Drift {
					t.Fatalf("drift %v, conflict (-want +got):\n%s", outcome.Drift, diff)
				}
				c.now = want.Retry.Add(-time.Second)
				if outcome := c.expect(one, Unchanged, ""); outcome.Conflict == nil || outcome.Drift {
					t.Errorf("shortly before the retry: %+v", outcome)
				}
				c.now = want.Retry
				if strategy == declared.InPlace {
					if outcome := c.expect(one, Updated, "apply 200"); outcome.Conflict != nil || outcome.Drift {
						t.Errorf("at the retry: %+v", outcome)
					}
					continue
				}
				repaired()
			}
			c.now = c.now.Add(5*time.Minute + time.Second) // calm: what comes is another affair
			change()
			repaired()
			if c.now.Sub(start) < 15*time.Minute {
				t.Error("the waits did not add up")
			}
		})
	}
}

// A change of the desired state is no repetition, and ends the conflict.
func TestFieldConflictEndsWithTheDesiredState(t *testing.T) {
	c := startServer(t).child(configMap(), Desired{})
	c.expect(configMap("key", "one"), Created, "post 201")
	for range 2 {
		c.drift("data.key", "theirs")
		c.expect(configMap("key", "one"), Updated, "apply 200")
	}
	c.drift("data.key", "theirs")
	c.expect(configMap("key", "one"), Unchanged, "get 200")
	c.expect(configMap("key", "two"), Updated, "apply 200")
	c.drift("data.key", "theirs")
	c.expect(configMap("key", "two"), Updated, "apply 200")
}

// A field that another manager removes has no owner afterwards.
func TestManagerThatRemovesFields(t *testing.T) {
	one := ports(corev1.ServicePort{Name: "a", Port: 80}, corev1.ServicePort{Name: "b", Port: 81})
	c := startServer(t).child(one, Desired{})
	c.expect(one, Created, "post 201")
	remove := func() {
		c.edit("other", func(object client.Object) {
			service := object.(*corev1.Service)
			service.Spec.Ports, service.OwnerReferences = service.Spec.Ports[:1], nil
			metav1.SetMetaDataLabel(&service.ObjectMeta, "c", "d")
		})
	}
	for range 2 {
		remove()
		c.expect(one, Updated, "apply 200")
	}
	remove()
	conflict := c.expect(one, Unchanged, "get 200").Conflict
	if conflict == nil || conflict.Manager != "other" || !slices.Equal(conflict.Paths, []string{"metadata.ownerReferences", "spec.ports"}) {
		t.Errorf("conflict: %+v", conflict)
	}
}

func TestRepeatedDeletionBacksOff(t *testing.T) {
	for _, like := range []client.Object{configMap("key", "one"), deployment(nil)} {
		t.Run(fmt.Sprintf("%T", like), func(t *testing.T) {
			one := like
			c := startServer(t).child(one, Desired{})
			c.expect(one, Created, "post 201")
			remove := func() {
				t.Helper()
				if err := c.server.Delete(t.Context(), c.live()); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				remove()
				c.expect(one, Created, "post 201")
			}
			for _, wait := range []int{10, 20, 40} {
				remove()
				want := &backoff.Conflict{Deleted: true, Retry: c.now.Add(time.Duration(wait) * time.Second)}
				outcome := c.expect(one, Unchanged, "get 404")
				if diff := cmp.Diff(want, outcome.Conflict); diff != "" || outcome.Object != nil {
					t.Fatalf("%v, conflict (-want +got):\n%s", outcome.Object, diff)
				}
				c.now = want.Retry.Add(-time.Second)
				c.expect(one, Unchanged, "")
				c.now = want.Retry
				if outcome := c.expect(one, Created, "post 201"); outcome.Conflict != nil {
					t.Errorf("at the retry: %+v", outcome)
				}
			}
			remove()
			c.state.MarkDeleted(c.desired(one).Key()) // by this operator
			c.expect(one, Created, "post 201")
			c.now = c.now.Add(3 * time.Minute) // calm
			remove()
			c.expect(one, Created, "post 201")
			remove()
			c.state.MarkDeleted(c.desired(one).Key())
			c.expect(one, Created, "post 201")
			remove()
			c.expect(one, Created, "post 201")
		})
	}
}

// The conflict names the manager that removes the label of a child, although the cache no longer
// holds the child then.
func TestChildOutOfSightIsNotDeleted(t *testing.T) {
	one := configMap("key", "one")
	c := startServer(t).child(one, Desired{})
	c.expect(one, Created, "post 201")
	unseen := func() Outcome {
		t.Helper()
		c.edit("other", func(object client.Object) { object.(*corev1.ConfigMap).Data["key"] = "theirs" })
		outcome, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(one), nil)
		if err != nil {
			t.Fatal(err)
		}
		return outcome
	}
	for range 2 {
		if outcome := unseen(); outcome.Action != Updated {
			t.Errorf("the outcome is %+v", outcome)
		}
	}
	if conflict := unseen().Conflict; conflict == nil || conflict.Manager != "other" || conflict.Deleted {
		t.Errorf("conflict: %+v", conflict)
	}
}

// Returning to a desired state within a minute is a repetition, as drift is.
func TestReturnsToADesiredState(t *testing.T) {
	one, two := configMap("key", "one"), configMap("key", "two")
	c := startServer(t).child(one, Desired{})
	c.expect(one, Created, "post 201")
	c.expect(two, Updated, "json-patch 200")
	c.expect(one, Updated, "json-patch 200")
	for range 2 {
		c.expect(two, Updated, "json-patch 200")
		c.now = c.now.Add(time.Second)
		c.state.ResetBudgets() // which makes it a new desired state
		c.expect(one, Updated, "json-patch 200")
	}
	c.expect(two, Updated, "json-patch 200")
	c.expect(one, Updated, "json-patch 200") // the first return
	c.expect(two, Updated, "json-patch 200") // the second
	if conflict := c.expect(one, Unchanged, "").Conflict; conflict == nil || !conflict.Returns || conflict.Retry != c.now.Add(10*time.Second) {
		t.Errorf("conflict: %+v", conflict)
	}
	c.expect(two, Unchanged, "") // where it is
	c.now = c.now.Add(10 * time.Second)
	c.expect(one, Updated, "json-patch 200")
	c.now = c.now.Add(time.Minute)
	c.expect(two, Updated, "json-patch 200")
}

func TestRefusedWriteBacksOff(t *testing.T) {
	c := startServer(t).child(configMap("key", "one"), Desired{})
	c.expect(configMap("key", "one"), Created, "post 201")
	invalid := configMap("not a key", "two")
	expect := func(requests string, retry time.Duration) {
		t.Helper()
		c.made()
		_, err := c.reconcile(invalid)
		failed, ok := errors.AsType[backoff.Failed](err)
		if !ok || failed.Retry.Sub(c.now) != retry || failed.Replayed != (requests == "") {
			t.Errorf("error %+v, want a retry after %s", err, retry)
		}
		if made := c.made(); (made == "") != (requests == "") {
			t.Errorf("requests: %q, want %q", made, requests)
		}
	}
	for _, wait := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 10 * time.Second, 20 * time.Second} {
		expect("some", wait)
		c.now = c.now.Add(wait - time.Millisecond)
		expect("", time.Millisecond)
		c.now = c.now.Add(time.Millisecond)
	}
	expect("some", 40*time.Second)
	c.expect(configMap("key", "two"), Updated, "apply 200") // another desired state waits for nothing
}
