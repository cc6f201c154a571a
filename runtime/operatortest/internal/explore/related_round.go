package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// attackedObject is the related object of a trial.
type attackedObject struct {
	before  *unstructured.Unstructured // before the mutation
	answers map[string]any             // what the operator made of the parent after the mutation
}

// runRelated runs trials in which somebody changes related objects.
func (x *exploration) runRelated(trials []*trial) {
	x.t.Helper()
	fits := func(one *trial, now []*trial) bool { return one.time == now[0].time }
	x.runRounds(relatedWriter, trials, fits, func(parents []*exploredParent, first *trial) { x.runRelatedRound(parents, first.time) })
}

// runRelatedRound changes one related object of each parent, and takes the change back. What the operator
// makes of each must be what an operator makes of it that has just started.
func (x *exploration) runRelatedRound(parents []*exploredParent, when string) {
	x.t.Helper()
	inParallel(parents, (*exploredParent).create)
	x.awaitRoundSettled()
	x.awaitMade(parents)
	x.awaitReady(parents)
	var all []*exploredChild
	for _, p := range parents {
		for _, c := range p.children {
			c.findAttacked()
			all = append(all, c)
		}
	}
	changed, back := "the related object was changed", "the change was taken back"
	if when == down {
		x.operator.Stop()
		inParallel(all, (*exploredChild).attack)
		x.operator.Start()
		x.awaitAnswers(all, changed)
		inParallel(all, (*exploredChild).restore)
		x.awaitAnswers(all, back)
		x.restartAndCompare(all, back)
	} else {
		inParallel(all, (*exploredChild).attack)
		x.awaitAnswers(all, changed)
		x.restartAndCompare(all, changed)
		inParallel(all, (*exploredChild).restore)
		x.awaitAnswers(all, back)
	}
	inParallel(all, func(c *exploredChild) {
		if late := c.parentProblem(); late != "" && c.skipped == "" {
			c.problems = append(c.problems, back+": "+late)
		}
	})
	inParallel(failedTrials(all), (*exploredChild).readReady)
	inParallel(parents, (*exploredParent).drop)
	x.operator.Sent.DropObjects()
	x.shown.dropObjects()
}

// findAttacked sets the related object of a trial.
func (c *exploredChild) findAttacked() {
	_, objects := c.parent.relatedObjects()
	if object := objects[c.childName]; object != nil {
		if before := c.x.readRelated(object); before != nil {
			c.attacked = &attackedObject{before: before}
			return
		}
	}
	c.skipped = "the related object is not there"
}

// attack makes the mutation of a trial.
func (c *exploredChild) attack() {
	if c.skipped != "" {
		return
	}
	if c.family == deletes {
		c.skip(c.x.removeObject(c.attacked.before))
		return
	}
	all := c.x.mutationsOfRelated(c.attacked.before)
	i := slices.IndexFunc(all, func(m alteration) bool { return nameIn(m, c.parent.object.GetName()) == c.mutationName })
	if i < 0 {
		c.skip(errUseless{})
		return
	}
	_, err := writer{client: c.x.operator.Client}.write(c.x.ctx, put, all[i], c.attacked.before, nil)
	c.skip(err)
}

// removeObject deletes an object, and waits until it is gone.
func (x *exploration) removeObject(object *unstructured.Unstructured) error {
	err := x.operator.Client.Delete(x.ctx, object.DeepCopy(), client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
	for deadline := time.Now().Add(x.patience); err == nil && time.Now().Before(deadline); time.Sleep(instance.Interval) {
		live := object.DeepCopy()
		err = x.operator.Client.Get(x.ctx, client.ObjectKeyFromObject(object), live)
		if err == nil && live.GetUID() != object.GetUID() {
			return nil
		}
	}
	return client.IgnoreNotFound(err)
}

// restore takes the mutation of a related object back. A controller of the cluster makes another object
// in the place of one that it had made.
func (c *exploredChild) restore() {
	if c.skipped != "" {
		return
	}
	before := c.attacked.before
	for {
		object := before.DeepCopy()
		live := c.x.readRelated(before)
		var err error
		switch {
		case live != nil:
			object.SetResourceVersion(live.GetResourceVersion())
			object.SetUID(live.GetUID())
			err = c.x.operator.Client.Update(c.x.ctx, object)
		case metav1.GetControllerOf(before) == nil:
			object.SetResourceVersion("")
			object.SetUID("")
			object.SetManagedFields(nil)
			err = c.x.operator.Client.Create(c.x.ctx, object)
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			c.skip(client.IgnoreNotFound(err))
			return
		}
	}
}

// quietTime is how long a kubelet, and the controllers of the cluster, may take to follow a change.
const quietTime = time.Second / 2

// awaitAnswers waits until the operator has settled after a step, notes what it makes of each parent, and
// requires that it reports it truthfully.
func (x *exploration) awaitAnswers(all []*exploredChild, step string) {
	x.t.Helper()
	settled := x.awaitRoundSettled()
	isMade := func(c *exploredChild) bool {
		return c.attacked != nil && metav1.GetControllerOf(c.attacked.before) != nil
	}
	if x.config.Kubelet != nil || slices.ContainsFunc(all, isMade) {
		time.Sleep(quietTime)
		settled = x.awaitRoundSettled()
	}
	x.operator.Advance(6 * time.Minute) // what failed meanwhile backs off
	if again := x.awaitRoundSettled(); again != "" {
		settled = again
	}
	inParallel(all, func(c *exploredChild) {
		if c.skipped != "" {
			return
		}
		c.attacked.answers = c.parent.answers()
		for _, untruth := range c.untruths() {
			c.problems = append(c.problems, step+": "+untruth)
		}
		if settled != "" {
			c.problems = append(c.problems, step+": the operator does not settle: "+settled)
		}
	})
}

// restartAndCompare starts the operator again, and requires that it makes the same of each parent. An
// operator that has just started has missed no event.
func (x *exploration) restartAndCompare(all []*exploredChild, step string) {
	x.t.Helper()
	x.operator.Stop()
	x.operator.Start()
	x.awaitRoundSettled()
	inParallel(all, func(c *exploredChild) {
		if c.skipped != "" || x.config.Impure {
			return
		}
		var fields []string
		for _, d := range diff.JSON(c.attacked.answers, c.parent.answers()) {
			fields = append(fields, strings.TrimSpace(d.Path))
		}
		if len(fields) > 0 {
			c.problems = append(c.problems, fmt.Sprintf("%s: after a restart the operator desires or says something else in %s", step, strings.Join(fields, ", ")))
		}
	})
}

// answers returns what the operator makes of a parent: the desired children, the status but for times and
// conditions, and why reconciles fail.
func (p *exploredParent) answers() map[string]any {
	found := map[string]any{}
	for _, record := range p.x.checker.LatestRecords(p.object.GetUID()) {
		desired := map[string]any{}
		for _, child := range record.Desired {
			desired[child.Kind.Kind+" "+strings.ReplaceAll(child.Name.Name, p.object.GetName(), "*")] = child.Content
		}
		found[record.Loop.Controller] = map[string]any{"desired": desired, "fails": record.Reason}
	}
	parent, err := p.read()
	if err != nil {
		p.x.t.Error(err)
		return found
	}
	status, _, _ := unstructured.NestedMap(parent.Object, "status")
	found["status"] = withoutTimes(status)
	found["reason"] = truth.ConditionsOf(parent)["Ready"].Reason
	return found
}

// withoutTimes returns the fields of a status that are no times, without its conditions.
func withoutTimes(status map[string]any) map[string]any {
	kept := maps.Clone(status)
	maps.DeleteFunc(kept, func(name string, value any) bool {
		text, _ := value.(string)
		_, err := time.Parse(time.RFC3339, text)
		return name == "conditions" || err == nil
	})
	return kept
}
