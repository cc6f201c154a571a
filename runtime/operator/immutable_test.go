package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// The policy lets a new object pass, and refuses to change this one.
func TestChildThatAPolicyProtectsIsNotRecreated(t *testing.T) {
	const freeze = "the change freeze lasts until Monday"
	for name, option := range map[string]operator.ChildOption{"whenImmutable: Recreate": operator.RecreateIfImmutable, "strategy Recreate": operator.Recreate} {
		t.Run(name, func(t *testing.T) {
			value := func(value string) Function {
				return wants(func(want *Desired) { want.ConfigMaps.Add(configMap("web", value), option) })
			}
			a := &author{sync: value("one")}
			f := start(t, a)
			f.status("Ready", "Ready")
			child := named(&corev1.ConfigMap{}, "web")
			f.Get(child)
			first := child.UID
			end := freezeUpdates(t, f)
			a.setSync(value("two"))
			f.pass()
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

// freezeUpdates installs a policy that refuses every update of a ConfigMap of the
// fixture's namespace, and waits until it is in force. The result ends it.
func freezeUpdates(t *testing.T, f *fixture) (end func()) {
	t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: f.Namespace + ".freeze"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: "the change freeze lasts until Monday"}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: policy.ObjectMeta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: f.Namespace}},
			},
		},
	}
	end = func() {
		for _, object := range []client.Object{binding, policy} {
			if err := client.IgnoreNotFound(f.Client.Delete(context.WithoutCancel(t.Context()), object)); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(end)
	for _, object := range []client.Object{policy, binding} {
		if err := f.Client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	f.Eventually("the policy is in force", func() error {
		child := named(&corev1.ConfigMap{}, "web")
		f.Get(child)
		child.Labels = map[string]string{"a": "b"}
		if f.Client.Update(t.Context(), child, client.DryRunAll) == nil {
			return errors.New("it is not")
		}
		return nil
	})
	return end
}
