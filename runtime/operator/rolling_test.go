package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// isOpen is the health of a ConfigMap in these tests.
func isOpen(object client.Object) (bool, error) { return object.GetAnnotations()["open"] == "yes", nil }

// threePods wants the Pods a, b and c with the image that the parent names.
func threePods(req *customRequest, want *Desired) {
	for _, name := range []string{"a", "b", "c"} {
		want.Pods.Add(pod(name, req.Parent.Spec.Text), operator.RollingRecreate)
	}
}

// startRolled starts an operator with a parent whose Pods a, b and c roll and are ready.
func startRolled(t *testing.T) (*custom, *testapi.Site) {
	t.Helper()
	return startReady(t, customDesire(threePods), nil)
}

// startReady starts an operator with a parent whose Pods a, b and c are ready.
func startReady(t *testing.T, sync customFunction, change func(*definition)) (*custom, *testapi.Site) {
	t.Helper()
	c := startCustom(t, sync, change)
	site := c.site("web")
	c.images("hello hello hello")
	c.ready("a", "b", "c")
	c.says(site, allReady)
	return c, site
}

// images waits until the Pods a, b and c run these images, "-" for none.
func (c *custom) images(expected string) {
	c.t.Helper()
	c.Eventually("the Pods run "+expected, func() error {
		if got := c.running(); got != expected {
			return errors.New("they run " + got)
		}
		return nil
	})
}

func (c *custom) running() string {
	c.t.Helper()
	var images []string
	for _, name := range []string{"a", "b", "c"} {
		object, image := named(&corev1.Pod{}, name), "-"
		if c.Get(object) {
			image = object.Spec.Containers[0].Image
		}
		images = append(images, image)
	}
	return strings.Join(images, " ")
}

// ready has the named Pods be ready.
func (c *custom) ready(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.beReady(named(&corev1.Pod{}, name), corev1.ConditionTrue)
	}
}

func TestRollingRecreateGoesOneByOneAndWaitsForHealth(t *testing.T) {
	c, site := startRolled(t)

	c.touch(site, "v2")
	c.images("v2 hello hello")
	c.says(site, "Pod a is not ready; Pod b is outdated and waits for its turn; Pod c is outdated and waits for its turn")
	c.Settled()
	c.images("v2 hello hello")

	c.Restart() // a roll remembers nothing
	c.Settled()
	c.images("v2 hello hello")
	c.ready("a")
	c.images("v2 v2 hello")
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("c")
	c.says(site, allReady)
	c.Settled()
}

func TestARevertedSpecHealsAStuckRoll(t *testing.T) {
	c, site := startRolled(t)
	c.touch(site, "broken")
	c.images("broken hello hello")
	c.Settled()
	c.touch(site, "hello")
	c.images("hello hello hello")
	c.ready("a")
	c.says(site, allReady)
	for _, request := range c.Writes() {
		if request.Verb == "delete" && request.Name != "a" {
			t.Errorf("a Pod that was right was replaced: %v", request)
		}
	}
}

func TestAnUnhealthyOutdatedChildGoesFirst(t *testing.T) {
	c, site := startRolled(t)
	c.beReady(named(&corev1.Pod{}, "c"), corev1.ConditionFalse)
	c.Settled() // with that in the cache
	c.touch(site, "v2")
	c.images("hello hello v2")
	c.ready("c")
	c.images("v2 hello v2")
}

func TestABlipOfHealthLetsNoBadChangeThrough(t *testing.T) {
	c, site := startRolled(t)
	c.touch(site, "broken")
	c.images("broken hello hello")
	for _, name := range []string{"b", "c"} {
		c.beReady(named(&corev1.Pod{}, name), corev1.ConditionFalse)
	}
	c.Settled()
	c.images("broken hello hello")
}

// quorum wants threePods that get ready together only: while none is, the outdated
// ones are replaced whatever the gate says.
func quorum(req *customRequest, want *Desired) {
	down := true
	for _, name := range []string{"a", "b", "c"} {
		down = down && !req.Children.Pods.Ready(name)
	}
	for _, name := range []string{"a", "b", "c"} {
		observed, exists := req.Children.Pods.Get(name)
		outdated := exists && observed.Spec.Containers[0].Image != req.Parent.Spec.Text
		want.Pods.Add(pod(name, req.Parent.Spec.Text), operator.RollingRecreate, operator.RecreateIf(down && outdated))
	}
}

func TestAQuorumThatNeverWasIsHealedByAnotherSpec(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sync   func(*customRequest, *Desired)
		images string
	}{
		"by the gate":        {threePods, "v2 broken broken"}, // which waits for the one that cannot get ready alone
		"where Sync says so": {quorum, "v2 v2 v2"},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, customDesire(test.sync), nil)
			site := c.siteOf("web", "broken")
			c.images("broken broken broken")
			c.Settled()
			c.touch(site, "v2")
			c.images(test.images)
			c.Settled()
			c.images(test.images)
			for _, name := range []string{"b", "c"} { // as a person does
				if test.images != "v2 v2 v2" {
					c.Delete(named(&corev1.Pod{}, name))
				}
			}
			c.images("v2 v2 v2")
			c.ready("a", "b", "c")
			c.says(site, allReady)
		})
	}
}

func TestRollingInPlaceGoesOneByOne(t *testing.T) {
	names := []string{"x", "y"}
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		for _, name := range names {
			want.ConfigMaps.Add(configMap(name, req.Parent.Spec.Text), operator.RollingInPlace)
		}
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[0].ReadyWhen = isOpen
			return described
		}
	})
	site := c.site("web")
	setOpen := func(name, open string) {
		object := configMap(name, "")
		c.Exists(object)
		c.Update(object, func() { metav1.SetMetaDataAnnotation(&object.ObjectMeta, "open", open) })
	}
	values := func(expected ...string) {
		t.Helper()
		c.Eventually(fmt.Sprintf("the values are %v", expected), func() error {
			var got []string
			for _, name := range names {
				object := configMap(name, "")
				c.Get(object)
				got = append(got, object.Data["key"])
			}
			if !slices.Equal(got, expected) {
				return fmt.Errorf("they are %v", got)
			}
			return nil
		})
	}
	setOpen("x", "yes")
	setOpen("y", "yes")
	c.says(site, allReady)

	c.touch(site, "v2")
	values("v2", "v2") // each is healthy at once after its change

	setOpen("x", "no")
	c.touch(site, "v3")
	values("v3", "v2") // the unhealthy one goes first, and stays unhealthy
	c.Settled()
	values("v3", "v2")
	setOpen("x", "yes")
	values("v3", "v3")
}

// chain wants the Pods a, b and c with the image that the parent names, each made
// when the one before is ready, and rolls from the last to the first.
func chain(req *customRequest, want *Desired) {
	pods := []*corev1.Pod{pod("a", req.Parent.Spec.Text), pod("b", req.Parent.Spec.Text), pod("c", req.Parent.Spec.Text)}
	want.Pods.Add(pods[2], operator.RollingRecreate, operator.After(pods[1]))
	want.Pods.Add(pods[1], operator.RollingRecreate, operator.After(pods[0]))
	want.Pods.Add(pods[0], operator.RollingRecreate)
}

func TestAChainIsMadeInItsOrderAndRollsAsAdded(t *testing.T) {
	c := startCustom(t, customDesire(chain), nil)
	site := c.site("web")
	c.images("hello - -")
	c.Settled()
	c.images("hello - -")
	c.ready("a")
	c.images("hello hello -")
	c.ready("b")
	c.images("hello hello hello")
	c.ready("c")
	c.says(site, allReady)

	c.touch(site, "v2")
	c.images("hello hello v2")
	c.Settled()
	c.images("hello hello v2")
	c.ready("c")
	c.images("hello v2 v2")
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("a")
	c.says(site, allReady)
	c.Settled()
}

func TestAChainThatNeverBeganIsHealedByAnotherSpec(t *testing.T) {
	c := startCustom(t, customDesire(chain), nil)
	site := c.siteOf("web", "broken")
	c.images("broken - -")
	c.Settled()
	c.touch(site, "v2")
	c.images("v2 - -")
	c.ready("a")
	c.images("v2 v2 -")
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("c")
	c.says(site, allReady)
	c.Settled()
}

func TestAMiddleOfAChainThatIsOutdatedAndUnhealthyGoesFirst(t *testing.T) {
	c := startCustom(t, customDesire(chain), nil)
	site := c.site("web")
	for _, name := range []string{"a", "b", "c"} {
		c.Exists(named(&corev1.Pod{}, name))
		c.ready(name)
	}
	c.says(site, allReady)
	c.beReady(named(&corev1.Pod{}, "b"), corev1.ConditionFalse)
	c.Settled() // with that in the cache
	c.touch(site, "v2")
	c.images("hello v2 hello")
	c.ready("b")
	c.images("hello v2 v2")
	c.ready("c")
	c.images("v2 v2 v2")
	c.ready("a")
	c.says(site, allReady)
	c.Settled()
}
