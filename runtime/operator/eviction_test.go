package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// guarded are the labels of Pods that a PodDisruptionBudget counts.
var guarded = map[string]string{"guarded": "yes"}

// guardedPods wants Pods that a PodDisruptionBudget counts.
func guardedPods(options ...operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		for _, name := range []string{"a", "b", "c"} {
			added := pod(name, req.Parent.Spec.Text)
			added.Labels = guarded
			want.Pods.Add(added, options...)
		}
	})
}

// evicting has Pods be evicted.
func evicting(d *definition) {
	d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
		described := kinds(observed, desired)
		described[3].Evict = true
		return described
	}
}

// startGuarded starts an operator that evicts Pods, and a PodDisruptionBudget by which all three have to
// be ready.
func startGuarded(t *testing.T, sync customFunction) (*custom, *testapi.Site, *policyv1.PodDisruptionBudget) {
	t.Helper()
	c, site := startReady(t, sync, evicting)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "budget"}, Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(3)), Selector: &metav1.LabelSelector{MatchLabels: guarded},
	}}
	c.Create(budget)
	c.budgeted(budget)
	return c, site, budget
}

// budgeted waits until the controller of PodDisruptionBudgets has counted the Pods. It counts a Pod that has the name of an
// evicted one as disrupted for two minutes, unless it has seen in between that there was none.
func (c *custom) budgeted(budget *policyv1.PodDisruptionBudget) {
	c.t.Helper()
	c.Eventually("the budget counts the Pods", func() error {
		c.Get(budget)
		if len(budget.Status.DisruptedPods) > 0 {
			budget.Status.DisruptedPods = nil
			if err := c.Client.Status().Update(c.t.Context(), budget); err != nil {
				return err
			}
		}
		if budget.Status.ObservedGeneration != budget.Generation || budget.Status.CurrentHealthy != 3 {
			return fmt.Errorf("it counts %v", budget.Status)
		}
		return nil
	})
}

// rolls waits until the Pods run so. The operator tries an eviction again that was refused, since the controller of
// PodDisruptionBudgets had not counted yet.
func (c *custom) rolls(expected string) {
	c.t.Helper()
	c.Eventually("the Pods run "+expected, func() error {
		if got := c.running(); got != expected {
			c.Advance(5 * time.Minute)
			return errors.New("they run " + got)
		}
		return nil
	})
}

// lower lets one of the three Pods be away. The operator may evict it before anybody sees that the budget counts all.
func (c *custom) lower(budget *policyv1.PodDisruptionBudget) {
	c.t.Helper()
	c.Update(budget, func() { budget.Spec.MinAvailable = new(intstr.FromInt32(2)) })
}

// budgetText is what a Pod waits for whose budget needs three.
const budgetText = "waits for its PodDisruptionBudget: The disruption budget budget needs 3 healthy pods and has 3 currently"

func TestARollingUpdateWaitsForAPodDisruptionBudget(t *testing.T) {
	c, site, budget := startGuarded(t, guardedPods(operator.RollingRecreate))
	c.touch(site, "v2")
	c.says(site, "Pod a "+budgetText+"; Pod b is outdated and waits for its turn; Pod c is outdated and waits for its turn")
	c.stays("hello hello hello")
	c.says(site, "Pod a "+budgetText+"; Pod b is outdated and waits for its turn; Pod c is outdated and waits for its turn")

	c.lower(budget)
	c.rolls("v2 hello hello")
	c.stays("v2 hello hello")
	c.ready("a")
	c.rolls("v2 v2 hello")
	c.ready("b")
	c.rolls("v2 v2 v2")
	c.ready("c")
	c.says(site, allReady)
	for _, request := range c.Writes() {
		if request.Verb == "delete" && strings.HasPrefix(request.Resource, "pods") {
			t.Errorf("a Pod was deleted, and not evicted: %v", request)
		}
	}
}

// While the next attempt is not due, no event costs a request: no dry run, and no read of the parent.
func TestAPodThatWaitsForItsBudgetCostsNoRequests(t *testing.T) {
	c, site, _ := startGuarded(t, guardedPods(operator.RollingRecreate))
	c.touch(site, "v2")
	c.says(site, "Pod a "+budgetText+"; Pod b is outdated and waits for its turn; Pod c is outdated and waits for its turn")
	c.Settled()
	c.Advance(time.Minute) // the backoff is long by now
	before := c.Settled()
	for _, value := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, "note", value) })
		c.Settled()
	}
	if requests := c.Requests()[before:]; len(requests) > 3 { // one attempt may be due: a dry run, a read of the parent, the eviction
		t.Errorf("requests: %v", requests)
	}
}

// What a budget refuses does not outlive the change.
func TestARevertedChangeWaitsForNoBudget(t *testing.T) {
	c, site, _ := startGuarded(t, guardedPods(operator.Recreate))
	c.touch(site, "v2")
	c.says(site, "Pod a "+budgetText+"; Pod b "+budgetText+"; Pod c "+budgetText)
	c.touch(site, "hello")
	c.says(site, allReady)
	c.Converged(site)
}

func TestRecreateIfWaitsForAPodDisruptionBudget(t *testing.T) {
	c, site, budget := startGuarded(t, guardedPods())
	a := named(&corev1.Pod{}, "a")
	c.Exists(a)
	uid := a.UID
	c.setSync(customDesire(func(req *customRequest, want *Desired) {
		for _, name := range []string{"a", "b", "c"} {
			added := pod(name, req.Parent.Spec.Text)
			added.Labels = guarded
			observed, exists := req.Children.Pods.Get(name)
			want.Pods.Add(added, operator.RecreateIf(exists && observed.UID == uid))
		}
	}))
	c.Reconciled(site)
	c.says(site, "Pod a "+budgetText)
	c.lower(budget)
	c.Eventually("the Pod is recreated", func() error {
		if c.Get(a); a.UID == uid || a.UID == "" {
			c.Advance(5 * time.Minute)
			return errors.New("it is not")
		}
		return nil
	})
	c.ready("a")
	c.says(site, allReady)
}

// Sync drops a Pod: its parent needs it no more, whatever the budget says.
func TestAPodThatIsPrunedNeedsNoBudget(t *testing.T) {
	c, site, _ := startGuarded(t, guardedPods())
	c.setSync(customDesire(func(req *customRequest, want *Desired) {
		want.Pods.Keep("a", "b")
	}))
	c.Reconciled(site)
	c.images("hello hello -")
}

// A Pod that does not run has nothing to disturb.
func TestAPodThatIsPendingIsEvictedWhateverTheBudgetSays(t *testing.T) {
	c, site, _ := startGuarded(t, guardedPods(operator.RollingRecreate))
	b := named(&corev1.Pod{}, "b")
	c.UpdateStatus(b, func() { b.Status = corev1.PodStatus{Phase: corev1.PodPending} })
	c.touch(site, "v2")
	c.images("hello v2 hello")
}
