package operator_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// atMost returns a Sync that wants the Pods of these names with the image that the parent names, and
// lets as many be down as limit says.
func atMost(limit string, names ...string) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		want.Pods.SetMaxUnavailable(intstr.Parse(limit))
		for _, name := range names {
			want.Pods.Add(pod(name, req.Parent.Spec.Text), operator.RollingRecreate)
		}
	})
}

// stays waits until the operator has nothing left to do, also after a restart, and fails the test if the
// Pods run other images then.
func (c *custom) stays(expected string) {
	c.t.Helper()
	for _, restart := range []func(){func() {}, c.Restart} {
		restart()
		c.Settled()
		if got := c.running(); got != expected {
			c.t.Fatalf("the Pods run %s, want %s", got, expected)
		}
	}
}

func TestARollingUpdateLetsAsManyBeDownAsItsKindSays(t *testing.T) {
	c, site := startReady(t, customDesire(threePods), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[3].MaxUnavailable = "67%" // two of three
			return described
		}
	})
	c.touch(site, "v2")
	c.images("v2 v2 hello")
	c.says(site, "Pod a is not ready; Pod b is not ready; Pod c is outdated and waits for its turn")
	c.stays("v2 v2 hello") // none of them gets ready
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("a", "c")
	c.says(site, allReady)
	c.Converged(site)
}

// A child that is down before the update takes one of the limit.
func TestARollingUpdateCountsWhatIsDownAnyway(t *testing.T) {
	c, site := startReady(t, atMost("2", "a", "b", "c"), nil)
	c.beReady(named(&corev1.Pod{}, "c"), corev1.ConditionFalse)
	c.says(site, "Pod c is not ready")
	c.touch(site, "v2")
	c.images("v2 hello v2")
	c.stays("v2 hello v2")
	c.ready("c")
	c.images("v2 v2 v2")
}

// Sync changes its mind while two are down.
func TestALimitThatIsLoweredInTheMiddleStopsTheUpdate(t *testing.T) {
	c, site := startReady(t, atMost("2", "a", "b", "c"), nil)
	c.touch(site, "v2")
	c.images("v2 v2 hello")
	c.setSync(atMost("1", "a", "b", "c"))
	c.ready("a")
	c.stays("v2 v2 hello") // b is down, and that is one
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("c")
	c.says(site, allReady)
}

// A percentage is one of the children that are desired now. New ones are down until they are ready.
func TestScalingInTheMiddleOfARollingUpdate(t *testing.T) {
	c, site := startReady(t, atMost("50%", "a", "b", "c"), nil)
	c.touch(site, "v2")
	c.images("v2 hello hello")
	c.setSync(atMost("50%", "a", "b", "c", "d"))
	c.ready("a")
	c.Exists(named(&corev1.Pod{}, "d"))
	c.images("v2 v2 hello") // d and b are down
	c.stays("v2 v2 hello")
	c.ready("d")
	c.images("v2 v2 v2")
	c.setSync(atMost("50%", "a", "b"))
	c.ready("b")
	c.images("v2 v2 -")
	c.says(site, allReady)
}

func TestDriftedChildrenAreReplacedUpToTheLimit(t *testing.T) {
	c, site := startReady(t, atMost("2", "a", "b", "c"), nil)
	c.Stop()
	c.drift()
	c.Restart()
	c.images("hello hello theirs")
	c.stays("hello hello theirs")
	c.ready("a")
	c.images("hello hello hello")
	c.ready("b", "c")
	c.says(site, allReady)
}

func TestALimitThatIsNoNumberIsAnInvalidAnswer(t *testing.T) {
	c, site := startReady(t, atMost("2", "a", "b", "c"), nil)
	c.setSync(atMost("many", "a", "b", "c"))
	c.touch(site, "v2")
	c.says(site, `the desired children of kind Pod: maxUnavailable is "many": expected a number, or a percentage from 0% to 100%`)
	c.images("hello hello hello") // nothing is recreated meanwhile
	c.setSync(atMost("2", "a", "b", "c"))
	c.Reconciled(site)
	c.images("v2 v2 hello")
}

// partitioned returns a Sync that wants the Pods a, b and c, and a partition. The parent names the image and
// the number of Pods that keep their version, as in "v2/1".
func partitioned() customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		image, text, _ := strings.Cut(req.Parent.Spec.Text, "/")
		var partition int
		_, _ = fmt.Sscan(text, &partition) // none without a number
		for number, name := range []string{"a", "b", "c"} {
			update := operator.RollingRecreate
			if number < partition {
				update = operator.OnDelete
			}
			want.Pods.Add(pod(name, image), update)
		}
	})
}

func TestAPartitionKeepsTheVersionOfTheChildrenBelowIt(t *testing.T) {
	c, site := startReady(t, partitioned(), nil)
	c.touch(site, "v2/2")
	c.images("hello hello v2")
	c.ready("c")
	c.says(site, fmt.Sprintf("every child is ready; outdated until somebody deletes them (OnDelete): Pod %[1]s/a; Pod %[1]s/b", c.Namespace))
	c.stays("hello hello v2")

	c.touch(site, "v2/1") // lowered
	c.images("hello v2 v2")
	c.stays("hello v2 v2")
	c.touch(site, "v2") // lowered in the middle
	c.stays("hello v2 v2")
	c.ready("b")
	c.images("v2 v2 v2")
	c.ready("a")
	c.says(site, allReady)
	c.Converged(site)
}

func TestAPartitionRaisedInTheMiddleAndARevert(t *testing.T) {
	c, site := startReady(t, partitioned(), nil)
	c.touch(site, "broken")
	c.images("broken hello hello")
	c.touch(site, "broken/3")
	c.stays("broken hello hello")
	c.touch(site, "hello/1") // what is below the partition keeps its version, as in a StatefulSet
	c.stays("broken hello hello")
	c.touch(site, "hello")
	c.images("hello hello hello")
	c.ready("a")
	c.says(site, allReady)
}

// A Pod below the partition is down: it counts, as its version does not.
func TestAChildBelowThePartitionThatIsDownTakesOneOfTheLimit(t *testing.T) {
	c, site := startReady(t, partitioned(), nil)
	c.beReady(named(&corev1.Pod{}, "a"), corev1.ConditionFalse)
	c.says(site, "Pod a is not ready")
	c.touch(site, "v2/1")
	c.stays("hello hello hello")
	c.ready("a")
	c.images("hello v2 hello")
	c.Delete(named(&corev1.Pod{}, "a")) // it is made with the latest version
	c.images("v2 v2 hello")
	c.ready("a", "b")
	c.images("v2 v2 v2")
}

// primaryKey is the label of the Pod that is the primary.
const primaryKey = "test.opgen.dev/primary"

// promote makes the Pod of a name the primary, as whoever does a failover.
func (c *custom) promote(name string) {
	c.t.Helper()
	for _, other := range []string{"a", "b", "c"} {
		object := named(&corev1.Pod{}, other)
		c.Update(object, func() {
			delete(object.Annotations, primaryKey)
			if other == name {
				metav1.SetMetaDataAnnotation(&object.ObjectMeta, primaryKey, "yes")
			}
		})
	}
}

// withPrimary returns a Sync that wants the Pods a, b and c, the primary with an option of its own.
func withPrimary(option func(isPrimary bool) operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		for _, name := range []string{"a", "b", "c"} {
			observed, exists := req.Children.Pods.Get(name)
			isPrimary := exists && observed.Annotations[primaryKey] != ""
			want.Pods.Add(pod(name, req.Parent.Spec.Text), operator.RollingRecreate, option(isPrimary))
		}
	})
}

func TestThePrimaryIsUpdatedLast(t *testing.T) {
	c, site := startReady(t, withPrimary(operator.UpdateLast), nil)
	c.promote("a")
	c.touch(site, "v2")
	c.images("hello v2 hello")
	c.stays("hello v2 hello")
	c.ready("b")
	c.images("hello v2 v2")
	c.stays("hello v2 v2")
	c.ready("c")
	c.images("v2 v2 v2")
	c.ready("a")
	c.says(site, allReady)
}

func TestAChangeWaitsUntilSyncLetsItThrough(t *testing.T) {
	c, site := startReady(t, withPrimary(func(isPrimary bool) operator.ChildOption {
		return operator.UpdateIf(!isPrimary, "is the primary")
	}), nil)
	c.promote("a")
	c.touch(site, "v2")
	c.images("hello v2 hello") // the others go on
	c.says(site, "Pod a is outdated and is the primary; Pod b is not ready; Pod c is outdated and waits for its turn")
	c.stays("hello v2 hello")
	c.ready("b")
	c.images("hello v2 v2")
	c.ready("c")
	c.says(site, "Pod a is outdated and is the primary")
	before := c.Settled()
	c.stays("hello v2 v2")
	if requests := c.Requests()[before:]; len(requests) > 0 {
		t.Errorf("requests while a change waits: %v", requests)
	}

	c.promote("b") // the reason goes
	c.images("v2 v2 v2")
	c.ready("a")
	c.says(site, allReady)
	c.Converged(site)
}

func TestAChangeThatWaitsIsMadeWhenTheChildIsDeleted(t *testing.T) {
	c, site := startReady(t, withPrimary(func(bool) operator.ChildOption { return operator.UpdateIf(false, "") }), nil)
	c.touch(site, "v2")
	c.says(site, "Pod a is outdated and waits until Sync lets it change; Pod b is outdated and waits until Sync lets it change; "+
		"Pod c is outdated and waits until Sync lets it change")
	c.stays("hello hello hello")
	c.Delete(named(&corev1.Pod{}, "b"))
	c.images("hello v2 hello")
	c.stays("hello v2 hello")
}

// A change in place waits as well, and drift from what is up to date is repaired meanwhile.
func TestAChangeInPlaceWaitsUntilSyncLetsItThrough(t *testing.T) {
	var isMigrated atomic.Bool
	isMigrated.Store(true)
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("first", req.Parent.Spec.Text))
		want.ConfigMaps.Add(configMap("second", req.Parent.Spec.Text), operator.UpdateIf(isMigrated.Load(), "waits for its migration"))
	}), nil)
	site, second := c.site("web"), configMap("second", "")
	c.says(site, allReady)
	isMigrated.Store(false)
	c.Update(second, func() { second.Data["key"] = "theirs" })
	c.Eventually("drift is repaired", func() error { return expectValue(c.Cluster, second, "hello") })
	c.touch(site, "v2")
	c.Eventually("the other one is changed", func() error { return expectValue(c.Cluster, configMap("first", ""), "v2") })
	c.says(site, "ConfigMap second is outdated and waits for its migration")
	c.Settled()
	if err := expectValue(c.Cluster, second, "hello"); err != nil {
		t.Error(err)
	}
	isMigrated.Store(true)
	c.Reconciled(site)
	c.Eventually("the change is made", func() error { return expectValue(c.Cluster, second, "v2") })
	c.says(site, allReady)
	c.Converged(site)
}
