package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// refuse installs a policy that refuses operations on objects of the namespace, by a
// code as validation has it, and waits until it is in force. The result ends it.
func (s *server) refuse(resources string, operations ...admissionregistrationv1.OperationType) (end func()) {
	s.t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace + "." + resources},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{Operations: operations, Rule: admissionregistrationv1.Rule{
					APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{resources},
				}},
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
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.namespace}},
			},
		},
	}
	ctx := context.WithoutCancel(s.t.Context())
	end = func() {
		for _, object := range []client.Object{binding, policy} {
			if err := client.IgnoreNotFound(s.Client.Delete(ctx, object)); err != nil {
				s.t.Error(err)
			}
		}
	}
	s.t.Cleanup(end)
	for _, object := range []client.Object{policy, binding} {
		if err := s.Client.Create(ctx, object); err != nil {
			s.t.Fatal(err)
		}
	}
	return end
}

// eventually waits until a condition is true.
func (s *server) eventually(what string, condition func() bool) {
	s.t.Helper()
	for range 600 {
		if condition() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("%s: it never came to that", what)
}

func TestRefusalByPolicyIsNotAnImmutableField(t *testing.T) {
	one, two := configMap("key", "one"), configMap("key", "two")
	for _, wish := range []Desired{{}, {Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}}, {Policies: declared.Policies{Update: declared.Recreate}}} {
		for _, way := range []string{"created", "applied", "restarted"} {
			t.Run(fmt.Sprintf("%s %s, %s", wish.Update, wish.WhenImmutable, way), func(t *testing.T) {
				c := startServer(t).child(one, wish)
				c.applied = way == "applied"
				uid := c.settle(one).Object.GetUID()
				end := c.refuse("configmaps", admissionregistrationv1.Update)
				c.eventually("the policy is in force", func() bool {
					live := c.live()
					live.SetLabels(map[string]string{"a": "b"})
					return c.Update(t.Context(), live, client.DryRunAll) != nil
				})
				if way == "restarted" {
					c.restart()
				}
				outcome, err := c.reconcile(two)
				if err == nil || errors.As(err, new(ErrImmutable)) || !strings.Contains(err.Error(), "the change freeze lasts until Monday") {
					t.Errorf("the child is %s, error is %v", outcome.Action, err)
				}
				end()
				c.eventually("the policy is gone", func() bool {
					c.now = c.now.Add(10 * time.Minute) // a refused write waits
					outcome, err = c.reconcile(two)
					return err == nil
				})
				if wish.Update == declared.Recreate && outcome.Action == NeedsRecreation {
					return
				}
				if outcome.Action != Updated || c.live().GetUID() != uid {
					t.Errorf("the child is %s", outcome.Action)
				}
			})
		}
	}
}

// A webhook may answer whatever it likes, also as validation does.
func TestRefusalByAWebhookIsNotAnImmutableField(t *testing.T) {
	one, two := configMap("key", "one"), configMap("key", "two")
	c := startServer(t).child(one, Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
	c.settle(one)
	c.refuseByWebhook("configmaps", metav1.StatusCause{Type: metav1.CauseTypeForbidden, Field: "data", Message: "the change freeze lasts until Monday"})
	c.eventually("the webhook is in force", func() bool {
		live := c.live()
		live.SetLabels(map[string]string{"a": "b"})
		return c.Update(t.Context(), live, client.DryRunAll) != nil
	})
	for range 3 {
		outcome, err := c.reconcile(two)
		if err == nil || errors.As(err, new(ErrImmutable)) || !strings.Contains(err.Error(), "denied the request") {
			t.Errorf("the child is %s, error is %v", outcome.Action, err)
		}
	}
}

// A new object beside the child is refused for reasons of its own.
func TestChildIsRecreatedAlthoughTheDryRunIsRefused(t *testing.T) {
	service := func(ip string) client.Object {
		return named(&corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, ClusterIP: ip, Ports: []corev1.ServicePort{{Port: 80}}}})
	}
	t.Run("a node port", func(t *testing.T) {
		c := startServer(t).child(service(""), Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
		c.settle(service(""))
		live := c.live().(*corev1.Service)
		fixed := service(otherIP(live.Spec.ClusterIP)).(*corev1.Service)
		fixed.Spec.Ports[0].NodePort = live.Spec.Ports[0].NodePort
		if outcome := c.settle(fixed); outcome.Action != NeedsRecreation {
			t.Errorf("the child is %s", outcome.Action)
		}
	})
	t.Run("a quota", func(t *testing.T) {
		frozen := func(value string) client.Object {
			object := configMap("key", value).(*corev1.ConfigMap)
			object.Immutable = new(bool)
			*object.Immutable = true
			return object
		}
		c := startServer(t).child(frozen("one"), Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
		c.settle(frozen("one"))
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "full"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/configmaps": resource.MustParse("1")}}}
		if err := c.Create(t.Context(), quota); err != nil {
			t.Fatal(err)
		}
		c.eventually("the quota is in force", func() bool {
			probe := configMap("a", "b")
			probe.SetNamespace(c.namespace)
			probe.SetName("probe")
			return c.Create(t.Context(), probe, client.DryRunAll) != nil
		})
		if outcome := c.settle(frozen("two")); outcome.Action != NeedsRecreation {
			t.Errorf("the child is %s", outcome.Action)
		}
	})
}

// otherIP is another address of the same network.
func otherIP(ip string) string {
	at := strings.LastIndex(ip, ".") + 1
	if ip[at:] == "211" {
		return ip[:at] + "212"
	}
	return ip[:at] + "211"
}
