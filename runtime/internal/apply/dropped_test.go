package apply

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func deadline(seconds *int64) client.Object {
	return named(&corev1.Pod{Spec: corev1.PodSpec{NodeSelector: map[string]string{"disk": "none"}, RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSDefault,
		ActiveDeadlineSeconds: seconds, Containers: []corev1.Container{{Name: "main", Image: "web:1"}}}})
}

// A field that a create set and that the desired state drops is a difference, too.
func TestDroppedFieldIsNotRemovedInPlace(t *testing.T) {
	for _, test := range []struct {
		name     string
		one, two client.Object
	}{
		{"ConfigMap", configMap("key", "one", "gone", "soon"), configMap("key", "one")},
		{"Pod", deadline(ptr.To[int64](3600)), deadline(nil)},
	} {
		for _, restart := range []bool{false, true} {
			mode := map[bool]string{true: " after a restart"}[restart]
			t.Run(test.name+mode, func(t *testing.T) {
				c := startServer(t).child(test.one, Desired{Policies: declared.Policies{Update: declared.Recreate}})
				c.settle(test.one)
				if restart {
					c.restart()
				}
				if outcome := c.settle(test.two); outcome.Action != NeedsRecreation {
					t.Errorf("the child is %s, want it to be replaced", outcome.Action)
				} else if existed, err := c.Applier.Delete(t.Context(), Key{Name: c.wish.Name}, outcome.Object, metav1.DeletePropagationBackground); err != nil || !existed {
					t.Errorf("the child cannot be deleted as it was answered: %v, %v", existed, err)
				}
			})
			for _, stripped := range []bool{false, true} {
				t.Run(test.name+" OnDelete"+map[bool]string{true: " without its hash"}[stripped]+mode, func(t *testing.T) {
					c := startServer(t).child(test.one, Desired{Policies: declared.Policies{Update: declared.OnDelete}})
					c.settle(test.one)
					if restart {
						c.restart()
					}
					if stripped {
						c.edit("kubectl-edit", strip)
					}
					if outcome := c.settle(test.two); outcome.Action != Unchanged {
						t.Errorf("the child is %s, want it to stay as it is", outcome.Action)
					}
					c.expect(test.two, Unchanged, "")
					if c.live().GetAnnotations()[hashKey] == c.desired(test.two).Hash {
						t.Error("it is marked as what it is not")
					}
				})
			}
		}
	}
}

// Another version of the operator with the same desired state recreates nothing.
func TestDesiredDefaultRecreatesNothing(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(map[bool]string{false: "running", true: "restarted"}[restart], func(t *testing.T) {
			less := deadline(nil)
			less.(*corev1.Pod).Spec.RestartPolicy = ""
			for name, states := range map[string][2]client.Object{"named": {less, deadline(nil)}, "no longer named": {deadline(nil), less}} {
				t.Run(name, func(t *testing.T) {
					c := startServer(t).child(less, Desired{Policies: declared.Policies{Update: declared.Recreate}})
					c.settle(states[0])
					if restart {
						c.restart()
					}
					if outcome := c.settle(states[1]); outcome.Action != Updated {
						t.Errorf("the child is %s", outcome.Action)
					}
					c.expect(states[1], Unchanged, "")
				})
			}
		})
	}
}
