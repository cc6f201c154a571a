package catset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "example.com/catset/api/v1"
)

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
