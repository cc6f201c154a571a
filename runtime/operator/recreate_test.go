package operator_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func onePod(image string) Function {
	return desire(func(want *Desired) { want.Pods.Add(pod("web", image)) })
}

// uid returns the UID of the Pod once its image is this one.
func (f *fixture) uid(image string) types.UID {
	f.t.Helper()
	child := named(&corev1.Pod{}, "web")
	f.Eventually("the Pod runs "+image, func() error {
		if !f.Get(child) || child.Spec.Containers[0].Image != image || child.DeletionTimestamp != nil {
			return fmt.Errorf("the Pod is %+v", child)
		}
		return nil
	})
	return child.UID
}

func TestRecreateReplacesAChildThatDiffers(t *testing.T) {
	a := &author{sync: onePod("web:1")}
	f := start(t, a)
	first := f.uid("web:1")

	a.setSync(onePod("web:2"))
	f.reconcile()
	second := f.uid("web:2")
	if first == second {
		t.Error("a changed image reached the Pod in place")
	}

	child := named(&corev1.Pod{}, "web")
	f.Update(child, func() { child.Spec.Containers[0].Image = "someone:else" })
	if f.uid("web:2") == second {
		t.Error("drift in the image was repaired in place")
	}
}

func TestRecreateReplacesNothingWithoutNeed(t *testing.T) {
	a := &author{sync: onePod("web:1")}
	f := start(t, a)
	first := f.uid("web:1")
	f.reconcile()

	f.Restart()
	f.reconcile()
	child := named(&corev1.Pod{}, "web")
	f.Update(child, func() { child.Annotations["test.opgen.dev/desired-hash"] = "of an older version" })
	f.reconcile()
	f.Update(child, func() { child.OwnerReferences[0].Controller = nil })
	f.Eventually("the owner reference is repaired", func() error {
		if f.Get(child); child.OwnerReferences[0].Controller == nil {
			return fmt.Errorf("it is %v", child.OwnerReferences)
		}
		return nil
	})
	a.setSync(onePod(""))
	f.reconcile()
	f.status("Ready", "InvalidChild")
	a.setSync(onePod("web:1"))
	f.reconcile()
	if f.uid("web:1") != first {
		t.Error("the Pod was replaced")
	}
	for _, request := range f.Writes() {
		if request.Verb == "delete" {
			t.Errorf("unexpected request: %s", request)
		}
	}
}

func TestOnDeleteAndCreateOnly(t *testing.T) {
	sync := func(value string) Function {
		return desire(func(want *Desired) {
			want.ConfigMaps.Add(configMap("on-delete", value), operator.OnDelete)
			want.ConfigMaps.Add(configMap("create-only", value), operator.CreateOnly)
		})
	}
	a := &author{sync: sync("one")}
	f := start(t, a)
	f.status("Ready", "Ready")

	value := func(name string) string {
		child := named(&corev1.ConfigMap{}, name)
		f.Exists(child)
		return child.Data["key"]
	}
	edit := func(name string) {
		child := named(&corev1.ConfigMap{}, name)
		f.Update(child, func() { child.Data["key"] = "edited" })
	}
	edit("on-delete")
	edit("create-only")
	f.reconcile()
	if got := value("on-delete"); got != "one" {
		t.Errorf("OnDelete: drift is %q, want it repaired", got)
	}
	if got := value("create-only"); got != "edited" {
		t.Errorf("CreateOnly: value is %q, want what someone wrote", got)
	}

	a.setSync(sync("two"))
	f.reconcile()
	if got := value("on-delete"); got != "one" {
		t.Errorf("OnDelete: value is %q before the child was deleted", got)
	}
	f.Delete(named(&corev1.ConfigMap{}, "on-delete"))
	f.Eventually("the change reaches the deleted child", func() error {
		if got := value("on-delete"); got != "two" {
			return fmt.Errorf("its value is %q", got)
		}
		return nil
	})
}
