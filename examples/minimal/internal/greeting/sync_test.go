package greeting

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	minimalv1 "example.com/minimal/api/v1"
)

func newGreeting(who string) *minimalv1.Greeting {
	return &minimalv1.Greeting{
		ObjectMeta: metav1.ObjectMeta{Name: "morning"},
		Spec:       minimalv1.GreetingSpec{Who: who},
	}
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	answered := newGreeting("Ada")
	answered.Status.Text = "Hello, Grace!"
	expected := &Response{Status: &minimalv1.GreetingStatus{Text: "Hello, Ada!"}}
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "a new Greeting is answered",
			Given:  Request{Parent: newGreeting("Ada")},
			Expect: expected,
		},
		operatortest.Case[Request, Response]{
			Name:   "one that was answered before is answered again",
			Given:  Request{Parent: answered},
			Expect: expected,
		},
	)
}

// TestGreeting runs the operator against a real API server; without one it skips. See make test-e2e.
func TestGreeting(t *testing.T) {
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{minimalv1.AddToScheme},
	})
	says := func(text string) *minimalv1.Greeting {
		greeting := newGreeting("")
		greeting.Status.Text = text
		return greeting
	}
	greeting := newGreeting("Ada")
	cluster.Create(greeting)
	cluster.Matches(says("Hello, Ada!"))

	// A change is answered, also one that is made while the operator does not run.
	cluster.Update(greeting, func() { greeting.Spec.Who = "Grace" })
	cluster.Matches(says("Hello, Grace!"))
	cluster.Stop()
	cluster.Update(greeting, func() { greeting.Spec.Who = "Barbara" })
	cluster.Restart()
	cluster.Matches(says("Hello, Barbara!"))

	// So is a status that somebody else has changed.
	cluster.UpdateStatus(greeting, func() { greeting.Status.Text = "Goodbye!" })
	cluster.Matches(says("Hello, Barbara!"))
	cluster.Converged(greeting)
	cluster.Truthful(greeting)

	cluster.Delete(greeting)
	cluster.Gone(greeting)
}
