package apply

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestFight(t *testing.T) {
	one := configMap("key", "one", "other", "one")
	for _, strategy := range []Strategy{InPlace, Recreate} {
		t.Run(string(strategy), func(t *testing.T) {
			c := startServer(t).child(one, Desired{Strategy: strategy})
			c.expect(one, Created, "post 201")
			fight := func() {
				c.t.Helper()
				c.edit("rival", func(object client.Object) { object.(*corev1.ConfigMap).Data["key"] = "theirs" })
				c.edit("bystander", func(object client.Object) {
					metav1.SetMetaDataAnnotation(&object.(*corev1.ConfigMap).ObjectMeta, "a", "b")
				})
			}
			repaired := func() {
				c.t.Helper()
				if strategy == Recreate {
					live := c.live()
					c.expect(one, Replace, "dry apply 200")
					c.expect(one, Replace, "dry apply 200") // the caller could not delete it: no second repair
					if existed, err := c.Applier.Delete(t.Context(), Key{Name: c.wish.Name}, live); err != nil || !existed {
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
				fight()
				repaired()
			}
			for _, wait := range []int{10, 20, 40, 80, 160, 300, 300} {
				fight()
				outcome := c.expect(one, Unchanged, "get 200")
				want := &Contested{Manager: "rival", Paths: []string{"data.key"}, Retry: c.now.Add(time.Duration(wait) * time.Second)}
				if diff := cmp.Diff(want, outcome.Contested); diff != "" || !outcome.Drift {
					t.Fatalf("drift %v, contested (-want +got):\n%s", outcome.Drift, diff)
				}
				c.now = want.Retry.Add(-time.Second)
				if outcome := c.expect(one, Unchanged, ""); outcome.Contested == nil || outcome.Drift {
					t.Errorf("shortly before the retry: %+v", outcome)
				}
				c.now = want.Retry
				if strategy == InPlace {
					if outcome := c.expect(one, Updated, "apply 200"); outcome.Contested != nil || outcome.Drift {
						t.Errorf("at the retry: %+v", outcome)
					}
					continue
				}
				repaired()
			}
			c.now = c.now.Add(5*time.Minute + time.Second) // calm: what comes is another affair
			fight()
			repaired()
			if c.now.Sub(start) < 15*time.Minute {
				t.Error("the waits did not add up")
			}
		})
	}
}

// A change of what is desired is no repair, and ends the fight.
func TestFightEndsWithTheDesiredState(t *testing.T) {
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

// What a rival removes belongs to nobody afterwards.
func TestRivalThatRemoves(t *testing.T) {
	one := ports(corev1.ServicePort{Name: "a", Port: 80}, corev1.ServicePort{Name: "b", Port: 81})
	c := startServer(t).child(one, Desired{})
	c.expect(one, Created, "post 201")
	remove := func() {
		c.edit("rival", func(object client.Object) {
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
	contested := c.expect(one, Unchanged, "get 200").Contested
	if contested == nil || contested.Manager != "rival" || !slices.Equal(contested.Paths, []string{"metadata.ownerReferences", "spec.ports"}) {
		t.Errorf("contested: %+v", contested)
	}
}

func TestChildThatIsDeletedAgainAndAgain(t *testing.T) {
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
				want := &Contested{Deleted: true, Retry: c.now.Add(time.Duration(wait) * time.Second)}
				outcome := c.expect(one, Unchanged, "get 404")
				if diff := cmp.Diff(want, outcome.Contested); diff != "" || outcome.Object != nil {
					t.Fatalf("%v, contested (-want +got):\n%s", outcome.Object, diff)
				}
				c.now = want.Retry.Add(-time.Second)
				c.expect(one, Unchanged, "")
				c.now = want.Retry
				if outcome := c.expect(one, Created, "post 201"); outcome.Contested != nil {
					t.Errorf("at the retry: %+v", outcome)
				}
			}
			remove()
			c.memo.Removed(c.desired(one).Key()) // by this operator
			c.expect(one, Created, "post 201")
			c.now = c.now.Add(3 * time.Minute) // calm
			remove()
			c.expect(one, Created, "post 201")
			remove()
			c.memo.Removed(c.desired(one).Key())
			c.expect(one, Created, "post 201")
			remove()
			c.expect(one, Created, "post 201")
		})
	}
}

// Who takes the label of children away is named, although the child is out of
// sight then.
func TestChildOutOfSightIsNotDeleted(t *testing.T) {
	one := configMap("key", "one")
	c := startServer(t).child(one, Desired{})
	c.expect(one, Created, "post 201")
	unseen := func() Outcome {
		t.Helper()
		c.edit("rival", func(object client.Object) { object.(*corev1.ConfigMap).Data["key"] = "theirs" })
		outcome, err := c.Do(t.Context(), c.now, c.memo, c.desired(one), nil)
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
	if contested := unseen().Contested; contested == nil || contested.Manager != "rival" || contested.Deleted {
		t.Errorf("contested: %+v", contested)
	}
}
