package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// parentLife is the writer of a trial in which a parent is created, changed and deleted.
const parentLife = "life"

// The steps of a parent's life. Each is begun and awaited for many parents at once.
const (
	birth      = "parent created"
	revision1  = "desired state changed"
	loss       = "child deleted"
	succession = "parent deleted and made again"
	dismissal  = "child not desired any more"
	refusal    = "creation refused"
	departure  = "parent deleted with its namespace"
)

// faultsOfLife returns the faults of the nth write of a child in a life.
func faultsOfLife() (all []fault.Fault) {
	all = append(all, fault.Fault{}) // nothing does
	for _, what := range []fault.What{
		fault.RefuseForbidden, fault.RefuseNotFound, fault.RefuseConflict, fault.RefuseInvalid, fault.RefuseInvalidField, fault.RefuseTooManyRequests, fault.RefuseInternalError, fault.RefuseUnavailable,
	} {
		all = append(all, fault.Fault{When: fault.Instead, What: what, Once: true})
	}
	for _, what := range []fault.What{fault.Lose, fault.TimeOut, fault.CutWatches, fault.DelayWatches, fault.Crash, fault.TimeTravel} {
		all = append(all, fault.Fault{When: fault.Before, What: what})
	}
	for _, what := range []fault.What{fault.Lose, fault.CutWatches, fault.Crash, fault.TimeTravel} {
		all = append(all, fault.Fault{When: fault.After, What: what})
	}
	return all
}

// writesOfLife is how many writes of each child a life has: two creations, a change, a creation by
// the next parent of the name, and a deletion.
const writesOfLife = 5

// planLives returns the trials with lives of parents: for each child, with each fault at each of
// its writes, or in a short exploration with a few of them.
func (x *exploration) planLives(children []trial) (trials []*trial) {
	faults := faultsOfLife()
	for i, like := range children {
		for n := 1; n <= writesOfLife; n++ {
			for j, fault := range faults {
				if fault.What == "" && n > 1 {
					continue
				}
				due := (j+n*5+i*3)%(len(faults)*2) == 0 || fault.What == ""
				if x.extent == short && !due {
					continue
				}
				one := like
				fault.Nth = n
				one.who, one.family, one.fault = parentLife, "life", fault
				one.mutationName = "no fault"
				if fault.What != "" {
					one.family, one.mutationName = string(fault.What), fmt.Sprintf("write %d %s %s", n, fault.When, fault.What)
				}
				trials = append(trials, &one)
			}
		}
	}
	return slices.DeleteFunc(trials, func(one *trial) bool { return !isTestSelected(x.t, one.name()) })
}

// runLives runs the lives of parents. Faults select writes by their resource, so that there is one
// child of a resource at a time, but for lives without a fault, which all run together.
func (x *exploration) runLives(trials []*trial) {
	x.t.Helper()
	kindOf := func(one *trial) string { kind, _, _ := strings.Cut(one.childName, " "); return kind }
	fits := func(one *trial, now []*trial) bool {
		if one.fault.What == "" || now[0].fault.What == "" {
			return one.fault.What == now[0].fault.What
		}
		return !slices.ContainsFunc(now, func(other *trial) bool { return kindOf(other) == kindOf(one) })
	}
	x.runRounds(parentLife, trials, fits, func(parents []*exploredParent, _ *trial) { x.runLivesRound(parents) })
}

func (x *exploration) runLivesRound(parents []*exploredParent) {
	x.t.Helper()
	var children []*exploredChild
	for _, p := range parents {
		for _, c := range p.children {
			children = append(children, c)
			if c.fault.What != "" {
				c.fault.Resource = c.resource
				x.operator.Inject(c.fault)
			}
		}
	}
	inParallel(parents, (*exploredParent).create)
	x.awaitStep(children, birth)
	for _, c := range children {
		if c.skipped == "" {
			c.desired = addRevision(c.desired, "1")
			x.author.changeChild(c.key(), revisionTo("1"))
		}
	}
	x.forceParentsOf(children)
	x.awaitStep(children, revision1)
	inParallel(children, (*exploredChild).lose)
	x.awaitStep(children, loss)
	inParallel(children, func(c *exploredChild) {
		if child := x.readChild(c.child); child != nil {
			c.gone = append(c.gone, child.GetUID())
		}
	})
	inParallel(parents, (*exploredParent).startSuccessor)
	x.awaitStep(children, succession)
	dismissed := slices.DeleteFunc(slices.Clone(children), func(c *exploredChild) bool { return c.child.Orphaned }) // these stay, and others may follow
	for _, c := range dismissed {
		x.author.changeChild(c.key(), func(map[string]any) map[string]any { return map[string]any{} })
	}
	x.forceParentsOf(dismissed)
	x.awaitStep(dismissed, dismissal)
	for _, c := range children {
		if c.fault.What != "" && x.operator.Faults.Struck(c.fault) == 0 && len(c.problems) == 0 {
			c.skipped = "the fault did not strike"
		}
	}
	x.operator.Faults.RemoveFaults()
	inParallel(parents, (*exploredParent).drop)
	x.operator.Sent.DropObjects()
}

// lose deletes a child.
func (c *exploredChild) lose() {
	if c.skipped != "" {
		return
	}
	if child := c.x.readChild(c.child); child != nil {
		c.gone = append(c.gone, child.GetUID())
		err := c.x.operator.Client.Delete(c.x.ctx, child, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		c.skip(client.IgnoreNotFound(err))
	}
}

// startSuccessor deletes a parent, and creates another one of its name.
func (p *exploredParent) startSuccessor() {
	err := p.x.operator.Client.Delete(p.x.ctx, p.object, client.PropagationPolicy("Background"))
	if client.IgnoreNotFound(err) != nil {
		p.x.t.Error(err)
	}
	next := p.x.makeParent(p.variant, p.object.GetName())
	for deadline := time.Now().Add(p.x.patience); ; time.Sleep(instance.Interval) {
		err := p.x.operator.Client.Create(p.x.ctx, next)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			p.x.t.Errorf("create %s again: %v", next.GetName(), err)
			return
		}
	}
	p.x.author.drop(p.object.GetUID())
	p.object = next
}

// stillTheSame says that a child of a deleted parent has not been deleted.
const stillTheSame = "the child is still the same"

// mostOfGarbageCollection is how long the garbage collector may take.
const mostOfGarbageCollection = 2 * time.Minute

// awaitStep waits until the operator has carried out a step, and records what is missing.
func (x *exploration) awaitStep(children []*exploredChild, step string) {
	x.t.Helper()
	patience := x.patience / 4
	if step == succession || step == departure {
		patience = x.patience // with the cluster's own controllers
	}
	begun, deadline := time.Now(), time.Now().Add(patience)
	for {
		settled := x.awaitRoundSettled()
		inParallel(children, func(c *exploredChild) { c.late = c.stepProblem(step) })
		late := slices.DeleteFunc(slices.Clone(children), func(c *exploredChild) bool { return c.late == "" })
		if len(late) == 0 {
			return
		}
		uncollected := func(c *exploredChild) bool { return c.late == stillTheSame }
		if step == succession && slices.ContainsFunc(late, uncollected) && time.Since(begun) < mostOfGarbageCollection {
			deadline = time.Now().Add(patience) // the old children are not the operator's to delete
		}
		if time.Now().Before(deadline) {
			x.operator.Advance(10 * time.Second) // failed writes back off
			time.Sleep(10 * instance.Interval)
			continue
		}
		inParallel(late, (*exploredChild).readReady)
		for _, c := range late {
			c.problems = append(c.problems, fmt.Sprintf("%s: %s", step, c.late))
			if settled != "" {
				c.problems = append(c.problems, "the operator does not settle: "+settled)
			}
		}
		return
	}
}

// stepProblem returns what a step still has to do with a child. It is empty if it is done.
func (c *exploredChild) stepProblem(step string) string {
	if c.skipped != "" || len(c.problems) > 0 {
		return ""
	}
	if step == departure {
		return c.departureProblem()
	}
	if err := c.find(); err != nil {
		return "Sync was not called"
	}
	if step == refusal {
		return c.refusalProblem()
	}
	if step == loss || step == revision1 && c.takesChanges() {
		c.desired = addRevision(c.desired, "1")
	}
	child := c.x.readChild(c.child)
	if step == dismissal {
		if child == nil || child.GetDeletionTimestamp() != nil {
			return ""
		}
		return "the child is still there"
	}
	switch {
	case child == nil:
		return "there is no child"
	case child.GetDeletionTimestamp() != nil:
		return "the child is being deleted"
	case slices.Contains(c.gone, child.GetUID()) && (step != succession || !c.child.Orphaned):
		return stillTheSame
	case !c.isOwned(child):
		return "the child is not its parent's"
	}
	found, err := c.missingFields(child)
	if err != nil {
		return err.Error()
	}
	if len(found) > 0 {
		return strings.Join(found, "\n")
	}
	return c.parentProblem()
}

// takesChanges reports whether a change of the desired state reaches an existing child.
func (c *exploredChild) takesChanges() bool {
	return c.child.Update.Rules().WritesChanges
}

func (c *exploredChild) isOwned(child *unstructured.Unstructured) bool {
	for _, loop := range c.x.operator.KnownLoops() {
		if owner, _ := loop.ParentOf(child); owner == c.parent.object.GetUID() {
			return true
		}
	}
	return false
}

// missingFields returns the desired fields that a child does not have as the API server sets them
// on a new child.
func (c *exploredChild) missingFields(child *unstructured.Unstructured) ([]string, error) {
	made, err := c.writer().dryRunCreate(c.x.ctx, c.desired)
	if err != nil {
		return nil, err
	}
	expected, got := contentOf(made), contentOf(child)
	desired, err := c.kind.Fields(c.desired)
	if err != nil {
		return nil, err
	}
	compared, err := c.kind.Compare(expected, got)
	if err != nil {
		return nil, err
	}
	problems := fieldProblems{secret: isSecret(child)}
	problems.add(differentFields(compared).Intersection(desired), expected, got)
	return problems.found, nil
}
