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

// chooseMutation sets the mutation of a child, and for the author's mutations the new desired
// state.
func chooseMutation(x *exploration, s *exploredChild) error {
	if s.before == nil {
		return errUnprepared
	}
	if s.makesLookalike() {
		return nil
	}
	if s.child.Strategy == string(operator.CreateOnly) || s.who == author && s.child.Strategy == string(operator.OnDelete) {
		return fmt.Errorf("strategy %s", s.child.Strategy)
	}
	parent := s.parent.object.GetName()
	all := plannedMutations(x, s)
	i := slices.IndexFunc(all, func(m alteration) bool { return nameIn(m, parent) == s.mutationName })
	if i < 0 {
		return errUseless{}
	}
	s.mutation = all[i]
	if s.who != author {
		return nil
	}
	var err error
	s.changed, err = writerFor(x, s).changeDesired(x.ctx, s.mutation, s.desired, s.before, s.recreates())
	return err
}

// recreates reports whether a change of the desired state recreates the child.
func (s *exploredChild) recreates() bool { return s.child.Strategy == string(operator.Recreate) }

// plannedMutations returns the possible mutations of a child.
func plannedMutations(x *exploration, s *exploredChild) []alteration {
	all := mutationsOf(s.desired, s.shape)
	if s.who == author {
		return all
	}
	return append(all, metadataMutationsOf(s.before, s.desired, s.child.Manager, x.siblings[s.parent.variant][s.trial.childName], s.shape)...)
}

// nameIn returns the name of a mutation with * for the name of the parent.
func nameIn(m alteration, parent string) string { return strings.ReplaceAll(m.name(), parent, "*") }

// touchAll writes to the children as other clients before their trials. It does so while the
// operator is down if the write replaces the owner of the operator's fields, so that the operator
// has no applied state of them.
func touchAll(x *exploration, children []*exploredChild, when string) {
	touch := func(s *exploredChild) {
		if s.skipped == "" {
			skipTrial(x, s, touchChild(x, s))
		}
	}
	needsWipe := func(s *exploredChild) bool { return s.skipped == "" && (s.state == asShared || s.state == asWiped) }
	if when != down || !slices.ContainsFunc(children, needsWipe) {
		inParallel(children, touch)
		return
	}
	forceParentsOf(x, children)
	awaitRoundSettled(x) // the operator writes changes of Sync before it stops
	x.c.Stop()
	inParallel(children, touch)
	startOperator(x.c)
	awaitRoundSettled(x)
}

// touchChild writes to a child as another client before its trial.
func touchChild(x *exploration, s *exploredChild) error {
	child := readChild(x, s.child)
	if child == nil {
		return errUnprepared
	}
	var err error
	switch s.state {
	case asTouched:
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"%[1]s/touched":"1"},"labels":{"%[1]s/touched":"1"}}}`, foreignPrefix)
		err = x.c.Client.Patch(x.ctx, child, client.RawPatch(types.MergePatchType, body), client.FieldOwner(foreignPrefix+"-touch"))
	case asShared:
		_, err = writerFor(x, s).addSharedOwner(x.ctx, child)
	case asWiped:
		err = x.c.Client.Patch(x.ctx, child, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`)))
	}
	return err
}

// mutateAll mutates all children.
func mutateAll(x *exploration, children []*exploredChild, when string) {
	x.t.Helper()
	switch when {
	case down:
		x.c.Stop()
		eachInParallel(x, children, mutateChild)
		startOperator(x.c)
	case beforeWrite:
		eachInParallel(x, children, mutateBeforeWrite)
		forceParentsOf(x, children)
	case afterCreate:
		eachInParallel(x, children, mutateAfterCreate)
	default:
		eachInParallel(x, children, mutateChild)
		forceParentsOf(x, slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool { return s.who == foreignWriter }))
	}
}

func forceParentsOf(x *exploration, children []*exploredChild) {
	var parents []*exploredParent
	for _, s := range children {
		if !slices.Contains(parents, s.parent) {
			parents = append(parents, s.parent)
		}
	}
	forceReconciles(x, parents)
}

// mutateChild mutates a child, or creates what looks like it.
func mutateChild(x *exploration, s *exploredChild) {
	if s.makesLookalike() {
		skipTrial(x, s, createLookalike(x, s))
		return
	}
	if s.who == author {
		x.author.replaceContent(s.key(), s.changed)
		return
	}
	if s.mutation.family == strips && s.time == running && !s.recreates() {
		x.shown.requireChild(s.parent.object.GetUID(), s.key())
	}
	written, err := writerFor(x, s).write(x.ctx, s.way, s.mutation, s.before, s.shape)
	s.written = written
	skipTrial(x, s, err)
}

// mutateBeforeWrite mutates the child right before the next write of the operator, and causes that
// write.
func mutateBeforeWrite(x *exploration, s *exploredChild) {
	path, err := pathOf(x, s.before)
	if err != nil {
		skipTrial(x, s, err)
		return
	}
	x.between.beforeWrite(path, func() { mutateChild(x, s) })
	s.desired = changeDesired(s.desired, "2")
	x.author.replaceContent(s.key(), s.desired)
}

// mutateAfterCreate mutates the child after the operator has created it again, and before the
// operator has the answer.
func mutateAfterCreate(x *exploration, s *exploredChild) {
	path, err := pathOf(x, s.before)
	if err != nil {
		skipTrial(x, s, err)
		return
	}
	x.between.afterCreate(path, func() {
		if s.before = readChild(x, s.child); s.before != nil {
			mutateChild(x, s)
		}
	})
	err = x.c.Client.Delete(x.ctx, s.before.DeepCopy(), client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
	skipTrial(x, s, err)
}

// pathOf returns the path of an object in request URLs.
func pathOf(x *exploration, object *unstructured.Unstructured) (string, error) {
	resource, err := resourceOf(x, object)
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

// resourceOf returns the resource of a child.
func resourceOf(x *exploration, child *unstructured.Unstructured) (string, error) {
	kind := child.GroupVersionKind()
	mapping, err := x.c.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return "", err
	}
	return mapping.Resource.Resource, nil
}

// compareExploredChild records the problems of a child after its mutation.
func compareExploredChild(x *exploration, s *exploredChild) {
	s.problems = nil
	if path, err := pathOf(x, s.before); err == nil && x.between.wasMissed(path) {
		s.skipped = "the operator did not write"
	}
	if s.skipped != "" {
		return
	}
	if s.makesLookalike() {
		s.problems = lookalikeProblems(x, s)
		return
	}
	found := evidence{
		desired: s.desired, shape: s.shape, manager: s.child.Manager,
		before: s.before, written: s.written, after: readChild(x, s.child), revised: s.time == beforeWrite,
		asUs:      s.way == sameManagerPut || s.way == sameApply,
		recreates: s.recreates(),
	}
	if s.who == author {
		found.desired, found.earlier = s.changed, s.desired
		problems, err := writerFor(x, s).findAuthorProblems(x.ctx, found)
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
	if x.shown.wasMissing(s.key()) {
		s.problems = append(s.problems, "a snapshot that Sync looked at was without the child")
	}
	if s.time == beforeWrite && found.after != nil && found.after.GetAnnotations()[revisionKey] != "2" {
		s.problems = append(s.problems, "what Sync has changed is not written")
	}
}

// readReady records the Ready condition of the parent.
func readReady(x *exploration, s *exploredChild) {
	parent := new(unstructured.Unstructured)
	parent.SetGroupVersionKind(kindOf(x.c, s.parent.object))
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

// isSilent reports whether the parent's status does not mention a problem.
func (t *trial) isSilent() bool {
	return !strings.HasPrefix(t.ready, "Ready=False") || strings.HasPrefix(t.ready, "Ready=False, Progressing")
}
