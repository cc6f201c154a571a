package operator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestImmutableFieldIsNamed(t *testing.T) {
	frozen := func(value string) Function {
		return desire(func(want *Desired) {
			child := configMap("web", value)
			child.Immutable = ptr.To(true)
			want.ConfigMaps.Add(child)
		})
	}
	a := &author{sync: frozen("one")}
	f := start(t, a)
	f.status("Ready", "Ready")
	a.setSync(frozen("two"))
	f.reconcile()
	message := f.status("Ready", "InvalidChild").Conditions[0].Message
	for _, says := range []string{"ConfigMap " + f.Namespace + "/web: data cannot be changed in place", "whenImmutable: Recreate"} {
		if !strings.Contains(message, says) {
			t.Errorf("message is %q, want it to say %q", message, says)
		}
	}
	child := named(&corev1.ConfigMap{}, "web")
	if f.Get(child); child.Data["key"] != "one" {
		t.Errorf("data is %v", child.Data)
	}
}

func TestImmutableFieldReplacesTheChildWhereItMay(t *testing.T) {
	frozen := func(value string) Function {
		return desire(func(want *Desired) {
			child := configMap("web", value)
			child.Immutable = ptr.To(true)
			want.ConfigMaps.Add(child, operator.RecreateIfImmutable)
		})
	}
	a := &author{sync: frozen("one")}
	f := start(t, a)
	f.status("Ready", "Ready")
	child := named(&corev1.ConfigMap{}, "web")
	f.Get(child)
	first := child.UID
	a.setSync(frozen("two"))
	f.reconcile()
	f.Eventually("the child is replaced", func() error {
		if !f.Get(child) || child.UID == first || child.Data["key"] != "two" {
			return fmt.Errorf("it is %v", child)
		}
		return nil
	})
	f.status("Ready", "Ready")
}

// The policy lets a new object pass, and refuses to change this one.
func TestChildThatAPolicyProtectsIsNotRecreated(t *testing.T) {
	t.Parallel()
	const freeze = "the change freeze lasts until Monday"
	for name, option := range map[string]operator.ChildOption{"whenImmutable: Recreate": operator.RecreateIfImmutable, "strategy Recreate": operator.Recreate} {
		t.Run(name, func(t *testing.T) {
			value := func(value string) Function {
				return desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", value), option) })
			}
			a := &author{sync: value("one")}
			f := start(t, a)
			f.status("Ready", "Ready")
			child := named(&corev1.ConfigMap{}, "web")
			f.Get(child)
			first := child.UID
			end := f.DenyByPolicy(&corev1.ConfigMap{}, "update", metav1.Status{Message: freeze})
			a.setSync(value("two"))
			f.reconcile()
			message := f.status("Ready", "InvalidChild").Conditions[0].Message
			if !strings.Contains(message, freeze) || strings.Contains(message, "whenImmutable") {
				t.Errorf("message is %q", message)
			}
			if f.Get(child); child.UID != first || child.Data["key"] != "one" {
				t.Errorf("the child is %v", child)
			}
			end()
			f.status("Ready", "Ready")
			if f.Get(child); child.Data["key"] != "two" {
				t.Errorf("data is %v", child.Data)
			}
		})
	}
}
