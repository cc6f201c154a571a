package explore

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// What a quota refuses.
const (
	newParent    = "child of a new parent"
	deletedChild = "child that was deleted"
)

// planQuotas returns the trials with a quota for the kind of a child.
func (like trial) planQuotas(extent string) (trials []*trial) {
	refused := []string{newParent, deletedChild}
	if extent == short {
		refused = refused[:1]
	}
	for _, what := range refused {
		one := like
		one.who, one.family, one.mutationName = quota, "refuse", what
		trials = append(trials, &one)
	}
	return trials
}

// runQuotas runs trials with quotas. Only one child of each parent is refused at a time.
func (x *exploration) runQuotas(trials []*trial) {
	x.t.Helper()
	fits := func(one *trial, now []*trial) bool {
		return !slices.ContainsFunc(now, func(other *trial) bool { return other.mutationName != one.mutationName || other.variant == one.variant })
	}
	x.runRounds(quota, trials, fits, func(parents []*exploredParent, first *trial) { x.runQuotaRound(parents, first.mutationName) })
}

// runQuotaRound has a quota refuse one child of each parent, and lifts it.
func (x *exploration) runQuotaRound(parents []*exploredParent, what string) {
	x.t.Helper()
	var children []*exploredChild
	for _, p := range parents {
		for _, c := range p.children {
			children = append(children, c)
		}
	}
	if what == deletedChild {
		inParallel(parents, (*exploredParent).create)
		x.awaitStep(children, birth)
	}
	if what == newParent {
		inParallel(parents, (*exploredParent).prepare) // the quota is not for related objects
	}
	lift := x.startQuota(children)
	mark := x.operator.Sent.Count()
	if what == newParent {
		inParallel(parents, (*exploredParent).create)
	} else {
		inParallel(children, (*exploredChild).lose)
	}
	x.awaitStep(children, refusal)
	lift()
	x.operator.Advance(6 * time.Minute) // refused writes back off
	x.awaitStep(children, birth)
	inParallel(children, func(c *exploredChild) {
		if made := c.countCreations(mark); c.skipped == "" && len(c.problems) == 0 && made != 1 {
			c.problems = append(c.problems, fmt.Sprintf("the child was created %d times", made))
		}
	})
	inParallel(parents, (*exploredParent).drop)
	x.operator.Sent.DropObjects()
}

// countCreations returns how often the operator has created a child since its first requests.
func (c *exploredChild) countCreations(mark int) (count int) {
	for _, request := range c.x.operator.Sent.Since(mark) {
		if request.Resource == c.resource && request.Name == c.child.Name.Name && request.Code == http.StatusCreated && !request.DryRun {
			count++
		}
	}
	return count
}

// startQuota has a quota refuse the creation of all objects of the children's kinds in the test's
// namespace, and waits until it does. It writes the quota's status, too, so that it depends on no
// controller.
func (x *exploration) startQuota(children []*exploredChild) (lift func()) {
	x.t.Helper()
	none := corev1.ResourceList{}
	for _, c := range children {
		none[corev1.ResourceName("count/"+c.groupResource())] = resource.MustParse("0")
	}
	made := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "operatortest", Namespace: x.operator.Namespace},
		Spec:       corev1.ResourceQuotaSpec{Hard: none},
	}
	x.operator.Create(made)
	x.operator.UpdateStatus(made, func() { made.Status.Hard, made.Status.Used = none, none })
	inParallel(children, func(c *exploredChild) {
		if !c.awaitQuota(true) {
			c.skipped = "the cluster has no quotas"
		}
	})
	return func() {
		x.operator.Delete(made)
		inParallel(children, func(c *exploredChild) {
			if c.skipped == "" && !c.awaitQuota(false) {
				c.skipped = "the quota stays"
			}
		})
	}
}

// groupResource returns the resource of a child as a quota names it.
func (c *exploredChild) groupResource() string {
	if group := c.x.siblings[c.variant][c.childName].GroupVersionKind().Group; group != "" {
		return c.resource + "." + group
	}
	return c.resource
}

// awaitQuota waits until a quota refuses to create a child, or does not any more. It reports false
// if that does not come.
func (c *exploredChild) awaitQuota(refuses bool) bool {
	for deadline := time.Now().Add(c.x.patience / 4); ; time.Sleep(instance.Interval) {
		_, err := writer{client: c.x.operator.Client}.dryRunCreate(c.x.ctx, c.x.samples[c.variant][c.childName])
		if apierrors.IsForbidden(err) == refuses {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// refusalProblem returns what the operator does wrong while a quota refuses a child: the parent has
// to say so, the status that Sync commits with the child must not be written, and all other
// children are as desired.
func (c *exploredChild) refusalProblem() string {
	if child := c.x.readChild(c.child); child != nil && !slices.Contains(c.gone, child.GetUID()) {
		c.skipped = "the quota does not refuse it"
		return ""
	}
	parent, err := c.parent.read()
	if err != nil {
		return err.Error()
	}
	child := testcontrol.Child{Kind: c.child.Kind, Name: c.child.Name}
	if c.x.checker.WasCommitted(c.parent.object.GetUID(), child) {
		return "the child is refused, and the functions of WhenApplied were called"
	}
	said := truth.ConditionsOf(parent)
	_, hasReady := c.x.usual[c.variant].conditions["Ready"]
	if hasReady && (said["Ready"].Status == "True" || !said.Excuses(child, nil, true)) {
		return fmt.Sprintf("the child is refused, and the parent says %s", said)
	}
	if untruths := c.untruths(); len(untruths) > 0 {
		return untruths[0]
	}
	return ""
}
