package bluegreendeployment

import (
	"testing"

	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/bluegreen/api/v1"
)

// TestRoll goes the whole way without a cluster: a first deployment, and a roll to the other color.
func TestRoll(t *testing.T) {
	parent := newShop("1")
	controller, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	sim := operatortest.Simulate(t, new(Reconciler).Sync, parent, controller)
	converges := func(active v1.Color, blueSet, greenSet pods) {
		t.Helper()
		sim.Converged()
		for color, expected := range map[v1.Color]pods{blue: blueSet, green: greenSet} {
			set := replicaSet(color, expected)
			sim.Get(set)
			image := set.Spec.Template.Spec.Containers[0].Image
			if image != expected.image || *set.Spec.Replicas != expected.desired {
				t.Errorf("%s has %d replicas of %s", set.Name, *set.Spec.Replicas, image)
			}
		}
		service := serviceFor(parent, "")
		sim.Get(service)
		to, recorded := service.Spec.Selector[colorLabel], parent.Status.ActiveColor
		if to != string(active) || recorded != active {
			t.Errorf("the traffic goes to %s, and the status says %s", to, recorded)
		}
	}
	converges(blue, pods{image: "1", desired: 2}, pods{image: "1"})
	sim.MakeReady(replicaSet(blue, pods{}), replicaSet(green, pods{}))
	converges(blue, pods{image: "1", desired: 2}, pods{image: "1"})

	parent.Spec.Template.Spec.Containers[0].Image = "2"
	converges(blue, pods{image: "1", desired: 2}, pods{image: "2", desired: 2})
	sim.MakeReady(replicaSet(green, pods{}))
	converges(green, pods{image: "1"}, pods{image: "2", desired: 2})
	sim.MakeReady(replicaSet(blue, pods{})) // it has no Pods any more
	converges(green, pods{image: "2"}, pods{image: "2", desired: 2})
}
