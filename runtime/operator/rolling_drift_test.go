package operator_test

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// drift changes the Pods a, b and c by hand, and returns their UIDs.
func (c *custom) drift() map[string]types.UID {
	c.t.Helper()
	uids := map[string]types.UID{}
	for _, name := range []string{"a", "b", "c"} {
		child := named(&corev1.Pod{}, name)
		c.Update(child, func() { child.Spec.Containers[0].Image = "theirs" })
		uids[name] = child.UID
	}
	return uids
}

// replaced waits until exactly one more of the Pods is another than in uids, which it
// then updates.
func (c *custom) replaced(uids map[string]types.UID) string {
	c.t.Helper()
	var changed []string
	c.Eventually("one Pod is replaced", func() error {
		changed = nil
		for name, before := range uids {
			current := named(&corev1.Pod{}, name)
			if !c.Get(current) {
				return errors.New(name + " is missing")
			}
			if current.UID != before {
				changed = append(changed, name)
			}
		}
		if len(changed) == 0 {
			return errors.New("none is")
		}
		return nil
	})
	c.Settled()
	changed = nil
	for name, before := range uids {
		current := named(&corev1.Pod{}, name)
		if c.Get(current); current.UID != before {
			changed, uids[name] = append(changed, name), current.UID
		}
	}
	if len(changed) != 1 {
		slices.Sort(changed)
		c.t.Fatalf("replaced at once: %v", changed)
	}
	return changed[0]
}

func TestDriftedChildrenAreReplacedOneByOne(t *testing.T) {
	c, site := startRolled(t)
	c.Settled()

	c.Stop() // so that all are found to have drifted at once
	uids := c.drift()
	c.Restart()
	first := c.replaced(uids)
	c.ready(first)
	second := c.replaced(uids)
	c.ready(second)
	c.ready(c.replaced(uids))
	c.images("hello hello hello")
	c.says(site, allReady)
	c.Settled()
}

func TestADriftedChildThatIsNotHealthyGoesFirst(t *testing.T) {
	c, site := startRolled(t)
	c.Stop()
	uids := c.drift()
	c.beReady(named(&corev1.Pod{}, "c"), corev1.ConditionFalse)
	c.Restart()
	if first := c.replaced(uids); first != "c" {
		t.Errorf("%s went first", first)
	}
	c.says(site, "Pod a has drifted and waits for its turn; Pod b has drifted and waits for its turn; Pod c is not ready")

	c.touch(site, "v2") // what is outdated waits for the one that is not healthy, too
	c.images("theirs theirs v2")
	c.Settled()
	c.images("theirs theirs v2")
	c.ready("c")
	c.images("v2 theirs v2")
}
