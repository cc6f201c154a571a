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

	"example.com/catset/api/v1"
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
	c.Cluster = operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
	})
	c.Create(c.set)
	return c
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

func TestPodsAreMadeOneByOne(t *testing.T) {
	c := start(t, 3)
	c.Exists(claim(0), claim(1), claim(2))
	c.stays("1 - - -")
	c.ready(0)
	c.stays("1 1 - -")
	c.Restart()
	c.stays("1 1 - -")
	c.ready(1)
	c.stays("1 1 1 -")
	c.ready(2)
	c.atRest()
	if object := pod(2); !c.Get(object) || object.Spec.Hostname != "tom-2" || object.Labels["app"] != "cat" || len(object.OwnerReferences) > 0 {
		t.Errorf("the Pod is %v %v", object.ObjectMeta, object.Spec)
	}
}

func TestAPodThatIsDeletedComesBackAlone(t *testing.T) {
	c := startReady(t, 3)
	others := c.uids(0, 2)
	lost := pod(1)
	c.holdBack(1)
	c.Exists(lost)
	c.Delete(lost)
	c.leaving(1)
	c.stays("1 1 1 -") // which still has the name
	c.letGo(1)
	c.Gone(lost)
	c.ready(1)
	c.atRest()
	if got := c.uids(0, 2); !slices.Equal(got, others) {
		t.Error("another Pod was replaced, too")
	}
}

func TestAPodThatFailedIsReplaced(t *testing.T) {
	c := startReady(t, 3)
	others, failed := c.uids(0, 2), pod(1)
	c.Exists(failed)
	c.breaks(1, corev1.PodFailed)
	c.Settled()
	c.Advance(patience)
	c.Gone(failed)
	c.ready(1)
	c.atRest()
	if got := c.uids(0, 2); !slices.Equal(got, others) {
		t.Error("another Pod was replaced, too")
	}
}

func TestDataStaysWhenPodsGo(t *testing.T) {
	c := startReady(t, 3)
	data := claim(2)
	c.Exists(data)
	c.breaks(0, corev1.PodRunning)
	c.scale(1)
	c.stays("1 1 1 -") // nothing goes while one is not ready
	c.ready(0)
	c.runs("1 - - -")
	c.atRest()
	if got := c.deleted(); got != "tom-2 tom-1" {
		t.Errorf("these Pods were deleted: %s", got)
	}
	kept := claim(2)
	if !c.Get(kept) || kept.UID != data.UID || kept.DeletionTimestamp != nil || len(kept.OwnerReferences) > 0 {
		t.Errorf("the claim is %v", kept.ObjectMeta)
	}

	c.scale(3)
	c.ready(1, 2)
	c.atRest()
	if c.Get(kept); kept.UID != data.UID {
		t.Error("the claim is another one")
	}

	c.Delete(c.set)
	c.Gone(c.set, pod(0))
	if !c.Get(kept) || kept.UID != data.UID || kept.DeletionTimestamp != nil {
		t.Error("the claim went with the CatSet")
	}

	c.set = newSet("tom", 3, "cat:2")
	c.Create(c.set)
	c.ready(0, 1, 2)
	c.atRest()
	if c.Get(kept); kept.UID != data.UID || kept.Spec.Resources.Requests.Storage().String() != "1Gi" {
		t.Errorf("the claim is another one: %v", kept.Spec)
	}
}

func TestARollGoesDownOneByOne(t *testing.T) {
	c := startReady(t, 3)
	c.image("2")
	c.stays("1 1 2 -")
	c.ready(2)
	c.runs("1 2 2 -")
	c.Restart()
	c.stays("1 2 2 -")
	c.ready(1)
	c.stays("2 2 2 -")
	c.ready(0)
	c.atRest()
	if got := c.deleted(); got != "tom-2 tom-1 tom-0" {
		t.Errorf("these Pods were deleted: %s", got)
	}
}

func TestAScaleDownGoesBeforeTheRoll(t *testing.T) {
	c := startReady(t, 4)
	c.image("2")
	c.stays("1 1 1 2")
	c.scale(2)
	c.runs("1 2 - -") // the broken one is not needed any more; then the roll goes on
	if got := c.deleted(); got != "tom-3 tom-3 tom-2 tom-1" {
		t.Errorf("these Pods were deleted: %s", got)
	}
	c.ready(1)
	c.runs("2 2 - -")
	c.ready(0)
	c.atRest()
}

func TestNoPodRollsWhileAnotherLeaves(t *testing.T) {
	c := startReady(t, 3)
	c.holdBack(2)
	c.scale(2)
	c.leaving(2)
	c.image("2")
	c.stays("1 1 1 -")
	c.letGo(2)
	c.stays("1 2 - -")
	c.ready(1)
	c.ready(1)
	c.runs("2 2 - -")
	c.ready(0)
	c.atRest()
}

func TestABadTemplateIsTakenBack(t *testing.T) {
	c := startReady(t, 3)
	others := c.uids(0, 1)
	c.image("broken")
	c.stays("1 1 broken -")
	c.image("1")
	c.stays("1 1 1 -")
	c.ready(2)
	c.atRest()
	if got := c.uids(0, 1); !slices.Equal(got, others) {
		t.Error("a Pod that was right was replaced")
	}
}

func TestATemplateThatWasBadFromTheStartIsMended(t *testing.T) {
	c := start(t, 2)
	c.image("broken")
	c.stays("broken - - -")
	c.image("2")
	c.stays("2 - - -")
	c.ready(0, 1)
	c.atRest()
}

func TestATeardownGoesDownOneByOneAndSurvivesARestart(t *testing.T) {
	c := startReady(t, 3)
	c.holdBack(1)
	foreground := metav1.DeletePropagationForeground
	if err := c.Client.Delete(t.Context(), c.set, &client.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Fatal(err)
	}
	c.leaving(1)
	c.Gone(pod(2))
	c.Settled()
	c.runs("1 1 - -")
	c.Restart()
	c.Settled()
	c.runs("1 1 - -")
	if object := pod(0); !c.Get(object) || object.DeletionTimestamp != nil {
		t.Error("a Pod goes before the one above it is gone")
	}
	if c.Get(c.set); c.set.Status.Replicas != 2 {
		t.Errorf("the status counts %d Pods, want 2", c.set.Status.Replicas)
	}
	c.letGo(1)
	c.Gone(c.set, pod(0), pod(1))
	if got := c.deleted(); got != "tom-2 tom-1 tom-0" {
		t.Errorf("these Pods were deleted: %s", got)
	}
	c.Exists(claim(0), claim(1), claim(2))
}

func TestAVolumeIsAddedToARunningSet(t *testing.T) {
	c := startReady(t, 2)
	c.Update(c.set, func() {
		second := c.set.Spec.VolumeClaimTemplates[0]
		second.Name = "logs"
		c.set.Spec.VolumeClaimTemplates = append(c.set.Spec.VolumeClaimTemplates, second)
	})
	c.Eventually("the highest Pod has the volume", func() error {
		if object := pod(1); !c.Get(object) || len(object.Spec.Volumes) < 2 || object.Spec.Volumes[1].Name != "logs" {
			return errors.New("it has not")
		}
		return nil
	})
	c.ready(1)
	c.Eventually("the other Pod has the volume", func() error {
		if object := pod(0); !c.Get(object) || len(object.Spec.Volumes) < 2 || object.Spec.Volumes[1].Name != "logs" {
			return errors.New("it has not")
		}
		return nil
	})
	c.ready(0)
	c.atRest()
}

func TestASetIsRefusedThatCannotWork(t *testing.T) {
	c := start(t, 0)
	for reason, change := range map[string]func(*v1.CatSet){
		"DNS label":                  func(set *v1.CatSet) { set.Name = "tom.and.jerry" },
		"restartPolicy is Always":    func(set *v1.CatSet) { set.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever },
		"greater than or equal to 0": func(set *v1.CatSet) { *set.Spec.Replicas = -1 },
	} {
		set := newSet("jerry", 1, "cat:1")
		set.Namespace = c.Namespace
		change(set)
		if err := c.Client.Create(t.Context(), set); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("the API server says %v, want %s", err, reason)
		}
	}
	// What only the API server can know of a Pod shows in the condition.
	c.Update(c.set, func() {
		*c.set.Spec.Replicas = 1
		c.set.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "none", MountPath: "/none"}}
	})
	c.Eventually("the condition says what is wrong", func() error {
		c.Get(c.set)
		if condition := meta.FindStatusCondition(c.set.Status.Conditions, "Ready"); condition == nil || condition.Reason != "InvalidChild" {
			return fmt.Errorf("it says %v", condition)
		}
		return nil
	})
	c.Update(c.set, func() { c.set.Spec.Template.Spec.Containers[0].VolumeMounts = nil })
	c.ready(0)
	c.atRest()
}
