package explore

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// exploredParent is a parent. Each of its children may be in one trial.
type exploredParent struct {
	x        *exploration
	variant  int
	object   client.Object
	related  []client.Object           // that were made for it
	children map[string]*exploredChild // by name
}

// exploredChild is a trial over one child of one parent.
type exploredChild struct {
	*trial
	x        *exploration
	parent   *exploredParent
	child    testcontrol.SyncChild
	kind     *schemas.Kind
	desired  map[string]any // before the mutation
	intended map[string]any // what Sync desired then, before a test changes that
	before   *unstructured.Unstructured
	written  *unstructured.Unstructured
	changed  map[string]any // the desired state after the mutation, where the author makes it
	mutation alteration
	like     *lookalike
	attacked *attackedObject // in a trial of a related object
	lifeState
}

// assignParents assigns a child of a parent to each trial. It returns the parents, and the trials
// that are left.
func (x *exploration) assignParents(trials []*trial, most int) (parents []*exploredParent, rest []*trial) {
	for _, one := range trials {
		var free *exploredParent
		for _, p := range parents {
			if p.variant == one.variant && p.children[one.childName] == nil && one.who != relatedWriter {
				free = p
				break
			}
		}
		if free == nil {
			if len(parents) == most {
				rest = append(rest, one)
				continue
			}
			free = &exploredParent{x: x, variant: one.variant, children: map[string]*exploredChild{}}
			parents = append(parents, free)
		}
		free.children[one.childName] = &exploredChild{trial: one, x: x, parent: free}
	}
	return parents, rest
}

// runRounds runs trials in rounds. fits reports whether a trial can be in the round of others, of
// which there is one at least. run is called with the parents of a round and its first trial.
func (x *exploration) runRounds(what string, trials []*trial, fits func(one *trial, now []*trial) bool, run func(parents []*exploredParent, first *trial)) {
	x.t.Helper()
	for len(trials) > 0 && !x.isEnough() {
		var now, later []*trial
		for _, one := range trials {
			if len(now) == 0 || fits(one, now) {
				now = append(now, one)
			} else {
				later = append(later, one)
			}
		}
		begun := time.Now()
		parents, rest := x.assignParents(now, x.life.AtOnce)
		trials = slices.Concat(rest, later)
		run(parents, now[0])
		x.t.Logf("%s: %d cases in %s, %d left", what, len(now)-len(rest), time.Since(begun).Round(10*time.Millisecond), len(trials))
		x.reportTrials(parents)
	}
}

// inParallel calls do for many items at once.
func inParallel[T any](all []T, do func(T)) {
	var group sync.WaitGroup
	free := make(chan struct{}, 8)
	for _, one := range all {
		group.Add(1)
		free <- struct{}{}
		go func() {
			defer func() { <-free; group.Done() }()
			do(one)
		}()
	}
	group.Wait()
}

// runRound runs trials, all at the same time of the operator's life.
func (x *exploration) runRound(parents []*exploredParent, when string) {
	x.t.Helper()
	inParallel(parents, (*exploredParent).create)
	x.awaitRoundSettled()
	x.awaitMade(parents)
	var children []*exploredChild
	for _, p := range parents {
		for _, c := range p.children {
			children = append(children, c)
		}
	}
	children = x.prepareChildren(children, when)
	x.mutateAll(children, when)
	x.awaitRoundSettled()
	inParallel(children, (*exploredChild).compare)
	if again := failedTrials(children); len(again) > 0 {
		x.operator.Advance(6 * time.Minute) // repeated repairs back off
		settled := x.awaitRoundSettled()
		inParallel(again, (*exploredChild).compare)
		settled = x.compareLater(again, settled)
		inParallel(again, (*exploredChild).readReady)
		for _, c := range failedTrials(again) {
			if settled != "" {
				c.problems = append(c.problems, "the operator does not settle: "+settled)
			}
		}
	}
	inParallel(parents, (*exploredParent).drop)
	x.removeLookalikes(children)
	x.operator.Sent.DropObjects()
	x.shown.dropObjects()
}

func failedTrials(children []*exploredChild) (found []*exploredChild) {
	for _, c := range children {
		if len(c.problems) > 0 {
			found = append(found, c)
		}
	}
	return found
}

// awaitRoundSettled waits until the operator has nothing left to do, and returns why it still has.
func (x *exploration) awaitRoundSettled() string {
	x.t.Helper()
	deadline := time.Now().Add(x.patience)
	for {
		reason := x.operator.DescribeUnsettled(instance.Soon)
		if reason == "" {
			return ""
		}
		if ended := x.operator.ExitError(); ended != nil {
			x.t.Fatalf("the operator ended: %v", ended)
		}
		if time.Now().After(deadline) {
			return reason
		}
		time.Sleep(instance.Glance)
	}
}

// prepareChildren brings the children into the initial states of their trials, and returns the
// prepared children.
func (x *exploration) prepareChildren(children []*exploredChild, when string) (ready []*exploredChild) {
	var parents []*exploredParent
	inParallel(children, func(c *exploredChild) { c.skip(c.find()) })
	for _, c := range children {
		parents = append(parents, c.parent)
		if c.skipped == "" && (c.state == asChanged || c.time == beforeWrite) {
			c.desired = addRevision(c.desired, "1")
			x.author.changeChild(c.key(), revisionTo("1"))
		}
	}
	x.recreateChildren(children)
	x.touchAll(children, when)
	x.forceReconciles(parents)
	x.awaitRoundSettled()
	inParallel(children, func(c *exploredChild) {
		if c.skipped == "" {
			c.before, c.intended = x.readChild(c.child), x.author.contentOf(c.key())
			c.skip(c.chooseMutation())
		}
	})
	for _, c := range children {
		if c.skipped == "" {
			ready = append(ready, c)
		}
	}
	return ready
}

// recreateChildren recreates children with a value that Sync changes later.
func (x *exploration) recreateChildren(children []*exploredChild) {
	recreated := slices.DeleteFunc(slices.Clone(children), func(c *exploredChild) bool {
		return c.skipped != "" || c.time != beforeWrite || c.state == asChanged
	})
	if len(recreated) == 0 {
		return
	}
	inParallel(recreated, func(c *exploredChild) {
		if child := x.readChild(c.child); child != nil {
			c.skip(x.operator.Client.Delete(x.ctx, child, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0)))
		}
	})
	x.awaitRoundSettled()
}

// errUnprepared says that a trial cannot begin.
var errUnprepared = errors.New("the child is not there")

func (c *exploredChild) skip(err error) {
	if err != nil && testing.Verbose() {
		c.x.t.Logf("skipped: %s: %v", c.name(), err)
	}
	switch {
	case err == nil:
	case errors.As(err, new(errImmutable)):
		c.skipped = "immutable"
	case errors.As(err, new(errUseless)):
		c.skipped = "no valid value"
	default:
		c.skipped = err.Error()
	}
}

func (c *exploredChild) key() childKey { return childKey{c.child.Kind, c.child.Name} }

// find sets the desired state of an explored child.
func (c *exploredChild) find() error {
	for _, d := range c.x.author.childrenOf(c.parent.object.GetUID()) {
		if nameInRound(d, c.parent.object.GetName()) == c.trial.childName {
			c.child, c.desired = d, d.Content
			kind, err := c.x.checker.Schemas.Kind(d.Kind)
			c.kind = kind
			return err
		}
	}
	return errUnprepared
}

// nameInRound returns the name of a child with * for the name of its parent.
func nameInRound(d testcontrol.SyncChild, parent string) string {
	return d.Kind.Kind + " " + strings.ReplaceAll(d.Name.Name, parent, "*")
}

func (c *exploredChild) writer() writer {
	return writer{c.x.operator.Client, c.child.Manager, c.x.asOperator}
}

// readChild returns the live child. It is nil if there is none.
func (x *exploration) readChild(d testcontrol.SyncChild) *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetGroupVersionKind(d.Kind)
	err := x.operator.Client.Get(x.ctx, d.Name, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		x.t.Error(err)
		return nil
	}
	return object
}

// forceReconciles makes the operator reconcile parents.
func (x *exploration) forceReconciles(parents []*exploredParent) {
	for _, p := range parents {
		for _, loop := range x.operator.LoopsOf(p.object) {
			loop.Force(client.ObjectKeyFromObject(p.object))
		}
	}
}
