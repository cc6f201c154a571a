package operator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestImmutableFieldIsNamed(t *testing.T) {
	frozen := func(value string) Function {
		return wants(func(want *Desired) {
			child := configMap("web", value)
			child.Immutable = ptr.To(true)
			want.ConfigMaps.Add(child)
		})
	}
	a := &author{sync: frozen("one")}
	f := start(t, a)
	f.status("Ready", "Ready")
	a.setSync(frozen("two"))
	f.pass()
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
		return wants(func(want *Desired) {
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
	f.pass()
	f.Eventually("the child is replaced", func() error {
		if !f.Get(child) || child.UID == first || child.Data["key"] != "two" {
			return fmt.Errorf("it is %v", child)
		}
		return nil
	})
	f.status("Ready", "Ready")
}
