package operatortest

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// childMutator changes children and compares what the operator makes of that.
type childMutator struct{ *exploration }

// chooseMutation looks up the mutation of an explored child, and what the author would make of it.
func (x childMutator) chooseMutation(s *exploredChild) error {
	if s.before == nil {
		return errUnprepared
	}
	if s.child.Strategy == string(operator.CreateOnly) || s.who == author && s.child.Strategy == string(operator.OnDelete) {
		return fmt.Errorf("strategy %s", s.child.Strategy)
	}
	parent := s.parent.object.GetName()
	all := trialPlanner{x.exploration}.mutationsOf(s)
	i := slices.IndexFunc(all, func(m alteration) bool { return nameIn(m, parent) == s.mutationName })
	if i < 0 {
		return errUseless{}
	}
	s.mutation = all[i]
	if s.who != author {
		return nil
	}
	var err error
	s.changed, err = x.writerFor(s).changeDesired(x.ctx, s.mutation, s.desired, s.before, s.recreates())
	return err
}

// recreates reports whether a change of the desired state has the child recreated.
func (s *exploredChild) recreates() bool { return s.child.Strategy == string(operator.Recreate) }

// mutationsOf are those that can be made of the child of an explored child.
func (x trialPlanner) mutationsOf(s *exploredChild) []alteration {
	all := mutationsOf(s.desired, s.shape)
	if s.who == author {
		return all
	}
	return append(all, metadataMutationsOf(s.before, s.desired, s.child.Manager, x.siblings[s.parent.variant][s.trial.childName], s.shape)...)
}

// nameIn names a mutation whatever the name of the parent is.
func nameIn(m alteration, parent string) string { return strings.ReplaceAll(m.name(), parent, "*") }

// touchAll has others write to the children before their trials: while the operator is
// down, where somebody else has become the owner of what it has written. It remembers
// nothing of that then.
func (x childMutator) touchAll(children []*exploredChild, when string) {
	touch := func(s *exploredChild) {
		if s.skipped == "" {
			explorationRound{x.exploration}.skipTrial(s, x.touchChild(s))
		}
	}
	disowns := func(s *exploredChild) bool { return s.skipped == "" && (s.state == asShared || s.state == asDisowned) }
	if when != down || !slices.ContainsFunc(children, disowns) {
		inParallel(children, touch)
		return
	}
	x.reconcileParents(children)
	explorationRound{x.exploration}.awaitSettled() // it writes what Sync has changed before it stops
	x.c.Stop()
	inParallel(children, touch)
	operatorRunner{x.c}.startOperator()
	explorationRound{x.exploration}.awaitSettled()
}

// touchChild has others write to the child of an explored child before its trial.
func (x childMutator) touchChild(s *exploredChild) error {
	child := explorationRound{x.exploration}.readChild(s.child)
	if child == nil {
		return errUnprepared
	}
	var err error
	switch s.state {
	case asTouched:
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"%[1]s/touched":"1"},"labels":{"%[1]s/touched":"1"}}}`, foreignPrefix)
		err = x.c.Client.Patch(x.ctx, child, client.RawPatch(types.MergePatchType, body), client.FieldOwner(foreignPrefix+"-touch"))
	case asShared:
		_, err = x.writerFor(s).addSharedOwner(x.ctx, child)
	case asDisowned:
		err = x.c.Client.Patch(x.ctx, child, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`)))
	}
	return err
}

// mutateAll makes the mutations of all children.
func (x childMutator) mutateAll(children []*exploredChild, when string) {
	x.t.Helper()
	switch when {
	case down:
		x.c.Stop()
		inParallel(children, x.mutateChild)
		operatorRunner{x.c}.startOperator()
	case beforeWrite:
		inParallel(children, x.mutateBeforeWrite)
		x.reconcileParents(children)
	case afterCreate:
		inParallel(children, x.mutateAfterCreate)
	default:
		inParallel(children, x.mutateChild)
		x.reconcileParents(slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool { return s.who != author }))
	}
}

func (x childMutator) reconcileParents(children []*exploredChild) {
	var parents []*exploredParent
	for _, s := range children {
		if !slices.Contains(parents, s.parent) {
			parents = append(parents, s.parent)
		}
	}
	explorationRound{x.exploration}.reconcileParents(parents)
}

// mutateChild makes the mutation of an explored child.
func (x childMutator) mutateChild(s *exploredChild) {
	if s.who == author {
		x.author.replaceContent(s.key(), s.changed)
		return
	}
	written, err := x.writerFor(s).write(x.ctx, s.way, s.mutation, s.before, s.shape)
	s.written = written
	explorationRound{x.exploration}.skipTrial(s, err)
}

// mutateBeforeWrite has the mutation made when the operator is about to write the
// child, and gives the operator cause to.
func (x childMutator) mutateBeforeWrite(s *exploredChild) {
	path, err := x.pathOf(s.before)
	if err != nil {
		explorationRound{x.exploration}.skipTrial(s, err)
		return
	}
	x.between.beforeWrite(path, func() { x.mutateChild(s) })
	s.desired = changeDesired(s.desired, "2")
	x.author.replaceContent(s.key(), s.desired)
}

// mutateAfterCreate has the mutation made when the operator has created the child
// again, and before it knows.
func (x childMutator) mutateAfterCreate(s *exploredChild) {
	path, err := x.pathOf(s.before)
	if err != nil {
		explorationRound{x.exploration}.skipTrial(s, err)
		return
	}
	x.between.afterCreate(path, func() {
		if s.before = (explorationRound{x.exploration}).readChild(s.child); s.before != nil {
			x.mutateChild(s)
		}
	})
	err = x.c.Client.Delete(x.ctx, s.before.DeepCopy(), client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
	explorationRound{x.exploration}.skipTrial(s, err)
}

// pathOf is the path of an object in the URL of requests for it.
func (x childMutator) pathOf(object *unstructured.Unstructured) (string, error) {
	resource, err := parentLives{x.exploration}.resourceOf(object)
	if err != nil {
		return "", err
	}
	kind := object.GroupVersionKind()
	root := "/apis/" + kind.GroupVersion().String()
	if kind.Group == "" {
		root = "/api/" + kind.Version
	}
	if object.GetNamespace() != "" {
		root += "/namespaces/" + object.GetNamespace()
	}
	return root + "/" + resource + "/" + object.GetName(), nil
}

// compareChild notes what is wrong with the child of an explored child.
func (x childMutator) compareChild(s *exploredChild) {
	s.problems = nil
	if path, err := x.pathOf(s.before); err == nil && x.between.wasMissed(path) {
		s.skipped = "the operator did not write"
	}
	if s.skipped != "" {
		return
	}
	found := evidence{
		desired: s.desired, shape: s.shape, manager: s.child.Manager,
		before: s.before, written: s.written, after: explorationRound{x.exploration}.readChild(s.child), revised: s.time == beforeWrite,
		asUs:      s.way == sameManagerPut || s.way == sameApply,
		recreates: s.recreates(),
	}
	if s.who == author {
		found.desired, found.earlier = s.changed, s.desired
		problems, err := x.writerFor(s).findAuthorProblems(x.ctx, found)
		if err != nil {
			problems = append(problems, err.Error())
		}
		s.problems = problems
		return
	}
	if s.written == nil {
		s.skipped = "it was not written"
		return
	}
	s.problems = found.findProblems(s.mutation)
	if s.time == beforeWrite && found.after != nil && found.after.GetAnnotations()[revisionKey] != "2" {
		s.problems = append(s.problems, "what Sync has changed is not written")
	}
}

// readReady notes what the parent says of itself.
func (x childMutator) readReady(s *exploredChild) {
	parent := new(unstructured.Unstructured)
	parent.SetGroupVersionKind(operatorLoops{x.c}.kindOf(s.parent.object))
	if err := x.c.Client.Get(x.ctx, client.ObjectKeyFromObject(s.parent.object), parent); err != nil {
		s.ready = err.Error()
		return
	}
	conditions, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == "Ready" {
			s.ready = fmt.Sprintf("Ready=%v, %v: %v", fields["status"], fields["reason"], fields["message"])
		}
	}
}

// isSilent reports whether a problem is one that the parent does not tell of.
func (t *trial) isSilent() bool {
	return !strings.HasPrefix(t.ready, "Ready=False") || strings.HasPrefix(t.ready, "Ready=False, Progressing")
}
