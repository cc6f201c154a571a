package operatortest

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// planTerminations returns the trials in which the namespace of a parent is deleted.
func planTerminations(like trial, extent string) (trials []*trial) {
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
func runTerminations(x *exploration, trials []*trial) {
	x.t.Helper()
	fits := func(one *trial, now []*trial) bool { return one.time == now[0].time }
	runRounds(x, deleter, trials, fits, func(parents []*exploredParent, first *trial) { runTerminationRound(x, parents, first.time) })
}

// runTerminationRound deletes a namespace while parents and their children are in it, and then
// those. Where the cluster has a namespace controller, that deletes them, too.
func runTerminationRound(x *exploration, parents []*exploredParent, when string) {
	x.t.Helper()
	x.home = x.newName()
	defer func() { x.home = "" }()
	namespace := createNamespace(x, x.home)
	eachInParallel(x, parents, createParent)
	awaitRoundSettled(x)
	var children []*exploredChild
	for _, h := range parents {
		for _, s := range h.children {
			skipTrial(x, s, findChild(x, s))
			s.mark = x.c.sent.count()
			children = append(children, s)
		}
	}
	if when == down {
		x.c.Stop()
	}
	x.c.Delete(namespace)
	eachInParallel(x, children, loseChild)
	if when == running {
		awaitRoundSettled(x) // the operator tries to create the children again
	}
	eachInParallel(x, parents, deleteParent)
	if when == down {
		startOperator(x.c)
	}
	awaitStep(x, children, departure)
	eachInParallel(x, parents, releaseParent)
	eachInParallel(x, parents, dropParent)
	x.c.sent.dropObjects()
}

func deleteParent(x *exploration, h *exploredParent) {
	err := x.c.Client.Delete(x.ctx, h.object, client.PropagationPolicy("Background"))
	if client.IgnoreNotFound(err) != nil {
		x.t.Error(err)
	}
}

// releaseParent removes the finalizers of a parent that the operator has not let go, so that its
// namespace does not stay.
func releaseParent(x *exploration, h *exploredParent) {
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := x.c.Client.Patch(x.ctx, h.object, release); client.IgnoreNotFound(err) != nil {
		x.t.Log(err)
	}
}

// refusedWrites is how often the operator may write a child in a namespace that is being deleted.
const refusedWrites = 12

// departureProblem returns what the operator has yet to do, or has done too often, while the
// namespace of a parent is being deleted.
func departureProblem(x *exploration, s *exploredChild) string {
	parent, err := readParent(x, s.parent)
	if err == nil {
		return fmt.Sprintf("the parent is still there, with the finalizers %v", parent.GetFinalizers())
	}
	if !apierrors.IsNotFound(err) {
		return err.Error()
	}
	writes := 0
	for _, request := range x.c.sent.since(s.mark) {
		if request.Resource == s.resource && request.Name == s.child.Name.Name && request.Namespace == s.child.Name.Namespace && request.Verb != "get" {
			writes++
		}
	}
	if writes > refusedWrites {
		return fmt.Sprintf("the operator wrote the child %d times", writes)
	}
	if child := readChild(x, s.child); child != nil && child.GetDeletionTimestamp() == nil && !s.child.Orphaned {
		return "the child is there"
	}
	return ""
}
