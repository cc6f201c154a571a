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

// exploredParent is a parent of whose children each may be in one trial.
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
	changed  map[string]any // what is desired after the mutation, where the author makes it
	mutation alteration
	lifeState
}

// assign gives each trial a child of a parent of its own, or of one that has it to
// spare. It returns the trials for which there is no room.
func (x *exploration) assign(trials []*trial, most int) (parents []*exploredParent, rest []*trial) {
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

// inParallel does something for many at once.
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

// round makes trials, all at the same time of the operator's life.
func (x *exploration) round(parents []*exploredParent, when string) {
	x.t.Helper()
	inParallel(parents, x.createParent)
	x.awaitSettled()
	var children []*exploredChild
	for _, h := range parents {
		for _, s := range h.children {
			children = append(children, s)
		}
	}
	children = x.prepare(children, when)
	x.act(children, when)
	x.awaitSettled()
	inParallel(children, x.judge)
	if again := failing(children); len(again) > 0 {
		x.c.Advance(6 * time.Minute) // repairs that come back are slowed down
		settled := x.awaitSettled()
		inParallel(again, x.judge)
		inParallel(again, x.readReady)
		for _, s := range failing(again) {
			if settled != "" {
				s.problems = append(s.problems, "the operator does not settle: "+settled)
			}
		}
	}
	inParallel(parents, x.dropParent)
}

func failing(children []*exploredChild) (found []*exploredChild) {
	for _, s := range children {
		if len(s.problems) > 0 {
			found = append(found, s)
		}
	}
	return found
}

// awaitSettled waits until the operator has nothing left to do, and says why it has.
func (x *exploration) awaitSettled() string {
	x.t.Helper()
	deadline := time.Now().Add(x.patience)
	for {
		reason := x.c.unsettled(soon)
		if reason == "" {
			return ""
		}
		if ended := x.c.failed(); ended != nil {
			x.t.Fatalf("the operator ended: %v", ended)
		}
		if time.Now().After(deadline) {
			return reason
		}
		time.Sleep(glance)
	}
}

// prepare brings the children into the states that their trials begin with, and
// returns the children that are ready.
func (x *exploration) prepare(children []*exploredChild, when string) (ready []*exploredChild) {
	var parents []*exploredParent
	inParallel(children, func(s *exploredChild) { x.skipOn(s, x.find(s)) })
	for _, s := range children {
		parents = append(parents, s.parent)
		if s.skipped == "" && (s.state == asChanged || s.time == beforeWrite) {
			s.desired = revised(s.desired, "1")
			x.author.replace(s.key(), s.desired)
		}
	}
	x.makeAnew(children)
	x.touchAll(children, when)
	x.reconcile(parents)
	x.awaitSettled()
	inParallel(children, func(s *exploredChild) {
		if s.skipped == "" {
			s.before = x.read(s.child)
			x.skipOn(s, x.choose(s))
		}
	})
	for _, s := range children {
		if s.skipped == "" {
			ready = append(ready, s)
		}
	}
	return ready
}

// makeAnew has children made with a value that Sync is to change later.
func (x *exploration) makeAnew(children []*exploredChild) {
	anew := slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool {
		return s.skipped != "" || s.time != beforeWrite || s.state == asChanged
	})
	if len(anew) == 0 {
		return
	}
	inParallel(anew, func(s *exploredChild) {
		if child := x.read(s.child); child != nil {
			x.skipOn(s, x.c.Client.Delete(x.ctx, child, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0)))
		}
	})
	x.awaitSettled()
}

// errUnprepared says that a trial cannot begin.
var errUnprepared = errors.New("the child is not there")

func (x *exploration) skipOn(s *exploredChild, err error) {
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

// find looks up what is desired of the child of an explored child.
func (x *exploration) find(s *exploredChild) error {
	for _, d := range x.author.of(s.parent.object.GetUID()) {
		if x.nameOf(d, s.parent.object.GetName()) == s.trial.childName {
			s.child, s.desired = d, d.Content
			shape, err := x.shapes.of(d.Kind)
			s.shape = shape
			return err
		}
	}
	return errUnprepared
}

// nameOf names a child whatever its parent's name is.
func (x *exploration) nameOf(d testcontrol.SyncChild, parent string) string {
	return d.Kind.Kind + " " + strings.ReplaceAll(d.Name.Name, parent, "*")
}

func (x *exploration) writer(s *exploredChild) writer { return writer{x.c.Client, s.child.Manager} }

// read reads a child; nil if there is none.
func (x *exploration) read(d testcontrol.SyncChild) *unstructured.Unstructured {
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

// reconcile has the operator reconcile parents now.
func (x *exploration) reconcile(parents []*exploredParent) {
	for _, h := range parents {
		for _, loop := range x.c.loopsOf(h.object) {
			loop.Force(client.ObjectKeyFromObject(h.object))
		}
	}
}
