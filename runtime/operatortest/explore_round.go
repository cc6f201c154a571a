package operatortest

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
)

// exploredParent is a parent. Each of its children may be in one trial.
type exploredParent struct {
	variant  int
	object   client.Object
	children map[string]*exploredChild // by name
}

// exploredChild is a trial over one child of one parent.
type exploredChild struct {
	*trial
	parent   *exploredParent
	child    testcontrol.SyncChild
	shape    shape
	desired  map[string]any // before the mutation
	before   *unstructured.Unstructured
	written  *unstructured.Unstructured
	changed  map[string]any // the desired state after the mutation, where the author makes it
	mutation alteration
	like     *lookalike
	lifeState
}

// assignParents assigns a child of a parent to each trial. It returns the parents, and the trials
// that are left.
func assignParents(trials []*trial, most int) (parents []*exploredParent, rest []*trial) {
	for _, one := range trials {
		var free *exploredParent
		for _, h := range parents {
			if h.variant == one.variant && h.children[one.childName] == nil {
				free = h
				break
			}
		}
		if free == nil {
			if len(parents) == most {
				rest = append(rest, one)
				continue
			}
			free = &exploredParent{variant: one.variant, children: map[string]*exploredChild{}}
			parents = append(parents, free)
		}
		free.children[one.childName] = &exploredChild{trial: one, parent: free}
	}
	return parents, rest
}

// runRounds runs trials in rounds. fits reports whether a trial can be in the round of others, of
// which there is one at least. run is called with the parents of a round and its first trial.
func runRounds(x *exploration, what string, trials []*trial, fits func(one *trial, now []*trial) bool, run func(parents []*exploredParent, first *trial)) {
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
		parents, rest := assignParents(now, x.life.AtOnce)
		trials = slices.Concat(rest, later)
		run(parents, now[0])
		x.t.Logf("%s: %d cases in %s, %d left", what, len(now)-len(rest), time.Since(begun).Round(10*time.Millisecond), len(trials))
		reportTrials(x, parents)
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

// eachInParallel calls do for each of some parents or children of an exploration, eight at a time.
func eachInParallel[T any](x *exploration, all []T, do func(*exploration, T)) {
	inParallel(all, func(one T) { do(x, one) })
}

// runRound runs trials, all at the same time of the operator's life.
func runRound(x *exploration, parents []*exploredParent, when string) {
	x.t.Helper()
	eachInParallel(x, parents, createParent)
	awaitRoundSettled(x)
	var children []*exploredChild
	for _, h := range parents {
		for _, s := range h.children {
			children = append(children, s)
		}
	}
	children = prepareChildren(x, children, when)
	mutateAll(x, children, when)
	awaitRoundSettled(x)
	eachInParallel(x, children, compareExploredChild)
	if again := failedTrials(children); len(again) > 0 {
		x.c.Advance(6 * time.Minute) // repeated repairs back off
		settled := awaitRoundSettled(x)
		eachInParallel(x, again, compareExploredChild)
		eachInParallel(x, again, readReady)
		for _, s := range failedTrials(again) {
			if settled != "" {
				s.problems = append(s.problems, "the operator does not settle: "+settled)
			}
		}
	}
	eachInParallel(x, parents, dropParent)
	removeLookalikes(x, children)
	x.c.sent.dropObjects()
	x.shown.dropObjects()
}

func failedTrials(children []*exploredChild) (found []*exploredChild) {
	for _, s := range children {
		if len(s.problems) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// awaitRoundSettled waits until the operator has nothing left to do, and returns why it still has.
func awaitRoundSettled(x *exploration) string {
	x.t.Helper()
	deadline := time.Now().Add(x.patience)
	for {
		reason := describeUnsettled(x.c, soon)
		if reason == "" {
			return ""
		}
		if ended := exitError(x.c); ended != nil {
			x.t.Fatalf("the operator ended: %v", ended)
		}
		if time.Now().After(deadline) {
			return reason
		}
		time.Sleep(glance)
	}
}

// prepareChildren brings the children into the initial states of their trials, and returns the
// prepared children.
func prepareChildren(x *exploration, children []*exploredChild, when string) (ready []*exploredChild) {
	var parents []*exploredParent
	inParallel(children, func(s *exploredChild) { skipTrial(x, s, findChild(x, s)) })
	for _, s := range children {
		parents = append(parents, s.parent)
		if s.skipped == "" && (s.state == asChanged || s.time == beforeWrite) {
			s.desired = changeDesired(s.desired, "1")
			x.author.replaceContent(s.key(), s.desired)
		}
	}
	recreateChildren(x, children)
	touchAll(x, children, when)
	forceReconciles(x, parents)
	awaitRoundSettled(x)
	inParallel(children, func(s *exploredChild) {
		if s.skipped == "" {
			s.before = readChild(x, s.child)
			skipTrial(x, s, chooseMutation(x, s))
		}
	})
	for _, s := range children {
		if s.skipped == "" {
			ready = append(ready, s)
		}
	}
	return ready
}

// recreateChildren recreates children with a value that Sync changes later.
func recreateChildren(x *exploration, children []*exploredChild) {
	recreated := slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool {
		return s.skipped != "" || s.time != beforeWrite || s.state == asChanged
	})
	if len(recreated) == 0 {
		return
	}
	inParallel(recreated, func(s *exploredChild) {
		if child := readChild(x, s.child); child != nil {
			skipTrial(x, s, x.c.Client.Delete(x.ctx, child, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0)))
		}
	})
	awaitRoundSettled(x)
}

// errUnprepared says that a trial cannot begin.
var errUnprepared = errors.New("the child is not there")

func skipTrial(x *exploration, s *exploredChild, err error) {
	if err != nil && testing.Verbose() {
		x.t.Logf("skipped: %s: %v", s.name(), err)
	}
	switch {
	case err == nil:
	case errors.As(err, new(errImmutable)):
		s.skipped = "immutable"
	case errors.As(err, new(errUseless)):
		s.skipped = "no valid value"
	default:
		s.skipped = err.Error()
	}
}

func (s *exploredChild) key() childKey { return childKey{s.child.Kind, s.child.Name} }

// findChild sets the desired state of an explored child.
func findChild(x *exploration, s *exploredChild) error {
	for _, d := range x.author.childrenOf(s.parent.object.GetUID()) {
		if nameInRound(d, s.parent.object.GetName()) == s.trial.childName {
			s.child, s.desired = d, d.Content
			shape, err := x.shapes.shapeOf(d.Kind)
			s.shape = shape
			return err
		}
	}
	return errUnprepared
}

// nameInRound returns the name of a child with * for the name of its parent.
func nameInRound(d testcontrol.SyncChild, parent string) string {
	return d.Kind.Kind + " " + strings.ReplaceAll(d.Name.Name, parent, "*")
}

func writerFor(x *exploration, s *exploredChild) writer { return writer{x.c.Client, s.child.Manager} }

// readChild returns the live child. It is nil if there is none.
func readChild(x *exploration, d testcontrol.SyncChild) *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetGroupVersionKind(d.Kind)
	err := x.c.Client.Get(x.ctx, d.Name, object)
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
func forceReconciles(x *exploration, parents []*exploredParent) {
	for _, h := range parents {
		for _, loop := range loopsOf(x.c, h.object) {
			loop.Force(client.ObjectKeyFromObject(h.object))
		}
	}
}
