package explore

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// planTerminations returns the trials in which the namespace of a parent is deleted.
func (like trial) planTerminations(extent string) (trials []*trial) {
	times := []string{running, down}
	if extent == short {
		times = times[:1]
	}
	for _, when := range times {
		one := like
		one.who, one.family, one.mutationName, one.state, one.time = deleter, "terminate", "namespace of the parent", asCreated, when
		trials = append(trials, &one)
	}
	return trials
}

// runTerminations runs trials in which the namespace of a parent is deleted.
func (x *exploration) runTerminations(trials []*trial) {
	x.t.Helper()
	fits := func(one *trial, now []*trial) bool { return one.time == now[0].time }
	x.runRounds(deleter, trials, fits, func(parents []*exploredParent, first *trial) { x.runTerminationRound(parents, first.time) })
}

// runTerminationRound deletes a namespace while parents and their children are in it, and then
// those. Where the cluster has a namespace controller, that deletes them, too.
func (x *exploration) runTerminationRound(parents []*exploredParent, when string) {
	x.t.Helper()
	x.home = x.newName()
	defer func() { x.home = "" }()
	namespace := x.createNamespace(x.home)
	inParallel(parents, (*exploredParent).create)
	x.awaitRoundSettled()
	var children []*exploredChild
	for _, p := range parents {
		for _, c := range p.children {
			c.skip(c.find())
			c.mark = x.operator.Sent.Count()
			children = append(children, c)
		}
	}
	if when == down {
		x.operator.Stop()
	}
	x.operator.Delete(namespace)
	inParallel(children, (*exploredChild).lose)
	if when == running {
		x.awaitRoundSettled() // the operator tries to create the children again
	}
	inParallel(parents, (*exploredParent).delete)
	if when == down {
		x.operator.Start()
	}
	x.awaitStep(children, departure)
	inParallel(parents, (*exploredParent).release)
	inParallel(parents, (*exploredParent).drop)
	x.operator.Sent.DropObjects()
}

func (p *exploredParent) delete() {
	err := p.x.operator.Client.Delete(p.x.ctx, p.object, client.PropagationPolicy("Background"))
	if client.IgnoreNotFound(err) != nil {
		p.x.t.Error(err)
	}
}

// release removes the finalizers of a parent that the operator has not let go, so that its
// namespace does not stay.
func (p *exploredParent) release() {
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := p.x.operator.Client.Patch(p.x.ctx, p.object, release); client.IgnoreNotFound(err) != nil {
		p.x.t.Log(err)
	}
}

// refusedWrites is how often the operator may write a child in a namespace that is being deleted.
const refusedWrites = 12

// departureProblem returns what the operator has yet to do, or has done too often, while the
// namespace of a parent is being deleted.
func (c *exploredChild) departureProblem() string {
	parent, err := c.parent.read()
	if err == nil {
		return fmt.Sprintf("the parent is still there, with the finalizers %v", parent.GetFinalizers())
	}
	if !apierrors.IsNotFound(err) {
		return err.Error()
	}
	writes := 0
	for _, request := range c.x.operator.Sent.Since(c.mark) {
		if request.Resource == c.resource && request.Name == c.child.Name.Name && request.Namespace == c.child.Name.Namespace && request.Verb != "get" {
			writes++
		}
	}
	if writes > refusedWrites {
		return fmt.Sprintf("the operator wrote the child %d times", writes)
	}
	if child := c.x.readChild(c.child); child != nil && child.GetDeletionTimestamp() == nil && !c.child.Orphaned {
		return "the child is there"
	}
	return ""
}
