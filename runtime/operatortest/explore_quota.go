package operatortest

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
)

// What a quota refuses.
const (
	newParent    = "child of a new parent"
	deletedChild = "child that was deleted"
)

// planQuotas returns the trials with a quota for the kind of a child.
func planQuotas(like trial, extent string) (trials []*trial) {
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
func runQuotas(x *exploration, trials []*trial) {
	x.t.Helper()
	fits := func(one *trial, now []*trial) bool {
		return !slices.ContainsFunc(now, func(other *trial) bool { return other.mutationName != one.mutationName || other.variant == one.variant })
	}
	runRounds(x, quota, trials, fits, func(parents []*exploredParent, first *trial) { runQuotaRound(x, parents, first.mutationName) })
}

// runQuotaRound has a quota refuse one child of each parent, and lifts it.
func runQuotaRound(x *exploration, parents []*exploredParent, what string) {
	x.t.Helper()
	var children []*exploredChild
	for _, h := range parents {
		for _, s := range h.children {
			children = append(children, s)
		}
	}
	if what == deletedChild {
		eachInParallel(x, parents, createParent)
		awaitStep(x, children, birth)
	}
	lift := startQuota(x, children)
	mark := x.c.sent.count()
	if what == newParent {
		eachInParallel(x, parents, createParent)
	} else {
		eachInParallel(x, children, loseChild)
	}
	awaitStep(x, children, refusal)
	lift()
	x.c.Advance(6 * time.Minute) // refused writes back off
	awaitStep(x, children, birth)
	eachInParallel(x, children, func(x *exploration, s *exploredChild) {
		if made := countCreations(x, s, mark); s.skipped == "" && len(s.problems) == 0 && made != 1 {
			s.problems = append(s.problems, fmt.Sprintf("the child was created %d times", made))
		}
	})
	eachInParallel(x, parents, dropParent)
	x.c.sent.dropObjects()
}

// countCreations returns how often the operator has created a child since its first requests.
func countCreations(x *exploration, s *exploredChild, mark int) (count int) {
	for _, request := range x.c.sent.since(mark) {
		if request.Resource == s.resource && request.Name == s.child.Name.Name && request.Code == http.StatusCreated && !request.DryRun {
			count++
		}
	}
	return count
}

// startQuota has a quota refuse the creation of all objects of the children's kinds in the test's
// namespace, and waits until it does. It writes the quota's status, too, so that it depends on no
// controller.
func startQuota(x *exploration, children []*exploredChild) (lift func()) {
	x.t.Helper()
	none := corev1.ResourceList{}
	for _, s := range children {
		none[corev1.ResourceName("count/"+x.groupResource(s))] = resource.MustParse("0")
	}
	made := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "operatortest", Namespace: x.c.Namespace},
		Spec:       corev1.ResourceQuotaSpec{Hard: none},
	}
	x.c.Create(made)
	x.c.UpdateStatus(made, func() { made.Status.Hard, made.Status.Used = none, none })
	inParallel(children, func(s *exploredChild) {
		if !awaitQuota(x, s, true) {
			s.skipped = "the cluster has no quotas"
		}
	})
	return func() {
		x.c.Delete(made)
		inParallel(children, func(s *exploredChild) {
			if s.skipped == "" && !awaitQuota(x, s, false) {
				s.skipped = "the quota stays"
			}
		})
	}
}

// groupResource returns the resource of a child as a quota names it.
func (x *exploration) groupResource(s *exploredChild) string {
	if group := x.siblings[s.variant][s.childName].GroupVersionKind().Group; group != "" {
		return s.resource + "." + group
	}
	return s.resource
}

// awaitQuota waits until a quota refuses to create a child, or does not any more. It reports false
// if that does not come.
func awaitQuota(x *exploration, s *exploredChild, refuses bool) bool {
	for deadline := time.Now().Add(x.patience / 4); ; time.Sleep(interval) {
		_, err := writer{client: x.c.Client}.dryRunCreate(x.ctx, x.samples[s.variant][s.childName])
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
func refusalProblem(x *exploration, s *exploredChild) string {
	if child := readChild(x, s.child); child != nil && !slices.Contains(s.gone, child.GetUID()) {
		s.skipped = "the quota does not refuse it"
		return ""
	}
	parent, err := readParent(x, s.parent)
	if err != nil {
		return err.Error()
	}
	child := testcontrol.Child{Kind: s.child.Kind, Name: s.child.Name}
	records, _ := x.c.history.latestRecords(s.parent.object.GetUID())
	for _, record := range records {
		if slices.Contains(record.Committed, child) {
			return "the child is refused, and the functions of WhenApplied were called"
		}
	}
	said := conditionsOf(parent)
	_, hasReady := x.usual[s.variant].conditions["Ready"]
	if hasReady && (said["Ready"].status == "True" || !said.excuses(child, nil, true)) {
		return fmt.Sprintf("the child is refused, and the parent says %s", said)
	}
	if untruths := x.untruthsOf(s.parent); len(untruths) > 0 {
		return untruths[0]
	}
	return ""
}
