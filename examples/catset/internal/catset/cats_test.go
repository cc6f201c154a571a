package catset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	v1 "example.com/catset/api/v1"
)

var oneGi = resource.MustParse("1Gi")

// cats are the Pods of one CatSet on a real API server. The test plays the kubelet.
type cats struct {
	*operatortest.Cluster
	t   *testing.T
	set *v1.CatSet
}

// start creates a CatSet whose Pods are not ready. Without a cluster it skips: see make test-e2e.
func start(t *testing.T, replicas int32) *cats {
	t.Helper()
	t.Parallel()
	c := &cats{t: t, set: newSet("tom", replicas, "cat:1")}
	c.Cluster = operatortest.Start(t, testConfig())
	c.Create(c.set)
	return c
}

// testConfig runs the operator against a real API server; without one the tests skip. See make test-e2e.
func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
	}
}

// startReady creates a CatSet and waits until all of its Pods are ready.
func startReady(t *testing.T, replicas int32) *cats {
	t.Helper()
	c := start(t, replicas)
	for ordinal := range int(replicas) {
		c.ready(ordinal)
	}
	c.atRest()
	return c
}

func pod(ordinal int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("tom-%d", ordinal)}}
}

func claim(ordinal int) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("data-tom-%d", ordinal)}}
}

func (c *cats) ready(ordinals ...int) {
	c.t.Helper()
	for _, ordinal := range ordinals {
		c.MakeReady(pod(ordinal))
	}
}

// breaks has a Pod be not ready, or fail.
func (c *cats) breaks(ordinal int, phase corev1.PodPhase) {
	c.t.Helper()
	broken := pod(ordinal)
	c.UpdateStatus(broken, func() { broken.Status.Phase, broken.Status.Conditions = phase, nil })
}

// run says which images the Pods run, by their ordinals, "-" where there is none.
func (c *cats) run() string {
	c.t.Helper()
	var images []string
	for ordinal := range 4 {
		object, image := pod(ordinal), "-"
		if c.Get(object) {
			image = strings.TrimPrefix(object.Spec.Containers[0].Image, "cat:")
		}
		images = append(images, image)
	}
	return strings.Join(images, " ")
}

// runs waits until the Pods run these images.
func (c *cats) runs(expected string) {
	c.t.Helper()
	c.Eventually("the Pods run "+expected, func() error {
		if got := c.run(); got != expected {
			return errors.New("they run " + got)
		}
		return nil
	})
}

// stays checks that the Pods run these images and that nothing more is done about it.
func (c *cats) stays(expected string) {
	c.t.Helper()
	c.runs(expected)
	c.Converged(c.set)
	if got := c.run(); got != expected {
		c.t.Fatalf("the Pods run %s, want %s", got, expected)
	}
}

// atRest waits until the CatSet is ready, and checks that it then costs nothing.
func (c *cats) atRest() {
	c.t.Helper()
	c.Eventually("the CatSet is ready", func() error {
		c.Get(c.set)
		if condition := meta.FindStatusCondition(c.set.Status.Conditions, "Ready"); condition == nil || condition.Status != metav1.ConditionTrue || condition.ObservedGeneration != c.set.Generation {
			return fmt.Errorf("it is not: %v", condition)
		}
		return nil
	})
	c.Converged(c.set)
	if replicas := *c.set.Spec.Replicas; c.set.Status.Replicas != replicas || c.set.Status.ReadyReplicas != replicas {
		c.t.Errorf("%d replicas, %d of them ready, want %d", c.set.Status.Replicas, c.set.Status.ReadyReplicas, replicas)
	}
}

// scale sets replicas as kubectl scale and autoscalers do.
func (c *cats) scale(replicas int32) {
	c.t.Helper()
	c.Eventually("the CatSet is scaled", func() error {
		scale := new(autoscalingv1.Scale)
		if err := c.Client.SubResource("scale").Get(c.t.Context(), c.set, scale); err != nil {
			return err
		}
		if scale.Status.Selector != "ctl.example.com/name=tom" {
			return fmt.Errorf("the selector of the Pods is %q", scale.Status.Selector)
		}
		scale.Spec.Replicas = replicas
		return c.Client.SubResource("scale").Update(c.t.Context(), c.set, client.WithSubResourceBody(scale))
	})
}

func (c *cats) image(image string) {
	c.t.Helper()
	c.Update(c.set, func() { c.set.Spec.Template.Spec.Containers[0].Image = "cat:" + image })
}

// uids returns who the Pods of these ordinals are.
func (c *cats) uids(ordinals ...int) []string {
	c.t.Helper()
	var uids []string
	for _, ordinal := range ordinals {
		object := pod(ordinal)
		c.Exists(object)
		uids = append(uids, string(object.UID))
	}
	return uids
}

// deleted returns the Pods that the operator has deleted so far, in its order.
func (c *cats) deleted() string {
	c.t.Helper()
	var names []string
	for _, request := range c.Writes() {
		if request.Verb == "delete" && request.Resource == "pods" {
			names = append(names, request.Name)
		}
	}
	return strings.Join(names, " ")
}

const hold = "catset.test/hold"

// holdBack keeps a Pod that is deleted from going, as one does that takes long to end.
func (c *cats) holdBack(ordinal int) {
	c.t.Helper()
	held := pod(ordinal)
	c.Update(held, func() { held.Finalizers = append(held.Finalizers, hold) })
}

func (c *cats) letGo(ordinal int) {
	c.t.Helper()
	held := pod(ordinal)
	c.Update(held, func() {
		held.Finalizers = slices.DeleteFunc(held.Finalizers, func(f string) bool { return f == hold })
	})
}

// leaving waits until a Pod is being deleted.
func (c *cats) leaving(ordinal int) {
	c.t.Helper()
	c.Eventually("the Pod is being deleted", func() error {
		object := pod(ordinal)
		if !c.Get(object) || object.DeletionTimestamp == nil {
			return errors.New("it is not")
		}
		return nil
	})
}

// TestExplore changes the Pod and the claim behind the operator's back, changes what Sync desires, and lets requests
// fail: each time the children must be as desired in the end. make explore tries more of it.
func TestExplore(t *testing.T) {
	operatortest.Explore(t, testConfig(), operatortest.Life{
		Parents: []func(name string) client.Object{func(name string) client.Object { return newSet(name, 1, "cat:1") }},
	})
}
