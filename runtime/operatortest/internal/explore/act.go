package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// chooseMutation sets the mutation of a child, and for the author's mutations the new desired
// state.
func (c *exploredChild) chooseMutation() error {
	if c.before == nil {
		return errUnprepared
	}
	if c.makesLookalike() {
		return nil
	}
	if rules := c.child.Update.Rules(); !rules.RepairsDrift || c.who == author && !rules.WritesChanges {
		return fmt.Errorf("strategy %s", c.child.Update)
	}
	parent := c.parent.object.GetName()
	all := c.plannedMutations()
	i := slices.IndexFunc(all, func(m alteration) bool { return nameIn(m, parent) == c.mutationName })
	if i < 0 {
		return errUseless{}
	}
	c.mutation = all[i]
	if c.forgesMark() {
		return errors.New("the operator's own mark says that the child is of an earlier parent, or a copy")
	}
	if c.who != author {
		return nil
	}
	var err error
	c.changed, err = c.writer().changeDesired(c.x.ctx, c.mutation, c.desired, c.before, c.recreates())
	return err
}

// forgesMark reports whether the mutation writes another parent into the label of a child, or another child into its
// annotation created-as, in the name of the operator itself. Nothing tells a child without an owner reference from that of
// an earlier parent then, or a child from a copy: see docs/limits.md.
func (c *exploredChild) forgesMark() bool {
	isOfOthers := c.mutation.family == alters || c.mutation.family == copiesOver
	isLabel := strings.HasPrefix(c.mutation.at.String(), "metadata.labels") && len(c.before.GetOwnerReferences()) == 0
	isName := strings.HasPrefix(c.mutation.at.String(), "metadata.annotations") && strings.Contains(c.mutation.at.String(), "/created-as")
	return isOfOthers && (isLabel || isName) && (c.way == sameManagerPut || c.way == sameApply)
}

// recreates reports whether a change of the desired state recreates the child.
func (c *exploredChild) recreates() bool { return c.child.Update.Rules().Recreates }

// plannedMutations returns the possible mutations of a child.
func (c *exploredChild) plannedMutations() []alteration {
	all := mutationsOf(c.desired, c.kind.Schema)
	if c.who == author {
		return all
	}
	return append(all, metadataMutationsOf(c.before, c.desired, c.child.Manager, c.x.siblings[c.parent.variant][c.trial.childName], c.kind.Schema)...)
}

// nameIn returns the name of a mutation with * for the name of the parent.
func nameIn(m alteration, parent string) string { return strings.ReplaceAll(m.name(), parent, "*") }

// touchAll writes to the children as other clients before their trials. It does so while the
// operator is down if the write replaces the owner of the operator's fields, so that the operator
// has no applied state of them.
func (x *exploration) touchAll(children []*exploredChild, when string) {
	touch := func(c *exploredChild) {
		if c.skipped == "" {
			c.skip(c.touch())
		}
	}
	needsWipe := func(c *exploredChild) bool { return c.skipped == "" && (c.state == asShared || c.state == asWiped) }
	if when != down || !slices.ContainsFunc(children, needsWipe) {
		inParallel(children, touch)
		return
	}
	x.forceParentsOf(children)
	x.awaitRoundSettled() // the operator writes changes of Sync before it stops
	x.operator.Stop()
	inParallel(children, touch)
	x.operator.Start()
	x.awaitRoundSettled()
}

// touch writes to a child as another client before its trial.
func (c *exploredChild) touch() error {
	child := c.x.readChild(c.child)
	if child == nil {
		return errUnprepared
	}
	var err error
	switch c.state {
	case asTouched:
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"%[1]s/touched":"1"},"labels":{"%[1]s/touched":"1"}}}`, foreignPrefix)
		err = c.x.operator.Client.Patch(c.x.ctx, child, client.RawPatch(types.MergePatchType, body), client.FieldOwner(foreignPrefix+"-touch"))
	case asShared:
		_, err = c.writer().addSharedOwner(c.x.ctx, child)
	case asWiped:
		err = c.x.operator.Client.Patch(c.x.ctx, child, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`)))
	}
	return err
}

// mutateAll mutates all children.
func (x *exploration) mutateAll(children []*exploredChild, when string) {
	x.t.Helper()
	switch when {
	case down:
		x.operator.Stop()
		inParallel(children, (*exploredChild).mutate)
		x.operator.Start()
	case beforeWrite:
		inParallel(children, (*exploredChild).mutateBeforeWrite)
		x.forceParentsOf(children)
	case afterCreate:
		inParallel(children, (*exploredChild).mutateAfterCreate)
	default:
		inParallel(children, (*exploredChild).mutate)
		x.forceParentsOf(slices.DeleteFunc(slices.Clone(children), func(c *exploredChild) bool { return c.who == foreignWriter }))
	}
}

func (x *exploration) forceParentsOf(children []*exploredChild) {
	var parents []*exploredParent
	for _, c := range children {
		if !slices.Contains(parents, c.parent) {
			parents = append(parents, c.parent)
		}
	}
	x.forceReconciles(parents)
}

// mutate mutates a child, or creates what looks like it.
func (c *exploredChild) mutate() {
	if c.makesLookalike() {
		c.skip(c.createLookalike())
		return
	}
	if c.who == author {
		c.x.author.changeChild(c.key(), func(map[string]any) map[string]any { return c.changed })
		return
	}
	if c.mutation.family == strips && c.time == running && !c.recreates() {
		c.x.shown.requireChild(c.parent.object.GetUID(), c.key())
	}
	written, err := c.writer().write(c.x.ctx, c.way, c.mutation, c.before, c.kind)
	c.written = written
	c.skip(err)
}

// mutateBeforeWrite mutates the child right before the next write of the operator, and causes that
// write.
func (c *exploredChild) mutateBeforeWrite() {
	path, err := c.x.pathOf(c.before)
	if err != nil {
		c.skip(err)
		return
	}
	c.x.between.beforeWrite(path, func() { c.mutate() })
	c.desired = addRevision(c.desired, "2")
	c.x.author.changeChild(c.key(), revisionTo("2"))
}

// mutateAfterCreate mutates the child after the operator has created it again, and before the
// operator has the answer.
func (c *exploredChild) mutateAfterCreate() {
	path, err := c.x.pathOf(c.before)
	if err != nil {
		c.skip(err)
		return
	}
	c.x.between.afterCreate(path, func() {
		created := c.x.readChild(c.child)
		if created == nil {
			c.skipped = "it was gone before the answer to its creation"
			return
		}
		c.before, c.intended, c.desired = created, c.x.author.contentOf(c.key()), c.x.author.desiredOf(c.key())
		c.mutate()
	})
	err = c.x.operator.Client.Delete(c.x.ctx, c.before.DeepCopy(), client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
	c.skip(err)
}

// pathOf returns the path of an object in request URLs.
func (x *exploration) pathOf(object *unstructured.Unstructured) (string, error) {
	resource, err := x.resourceOf(object)
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
func (x *exploration) resourceOf(child *unstructured.Unstructured) (string, error) {
	kind := child.GroupVersionKind()
	mapping, err := x.operator.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return "", err
	}
	return mapping.Resource.Resource, nil
}

// compare records the problems of a child after its mutation.
func (c *exploredChild) compare() {
	c.problems = nil
	if path, err := c.x.pathOf(c.before); err == nil && c.x.between.wasMissed(path) {
		c.skipped = "the operator did not write"
	}
	if c.skipped != "" {
		return
	}
	if c.makesLookalike() {
		c.problems = c.lookalikeProblems()
		return
	}
	found := evidence{
		desired: c.desired, kind: c.kind, manager: c.child.Manager,
		before: c.before, written: c.written, after: c.x.readChild(c.child), revised: c.time == beforeWrite,
		asUs:      c.way == sameManagerPut || c.way == sameApply,
		recreates: c.recreates(), waits: !c.child.Update.Rules().WritesChanges,
		handOver: c.child.HandOver,
	}
	if err := found.findMoved(c.intended, c.x.author.contentOf(c.key())); err != nil {
		c.problems = []string{err.Error()}
		return
	}
	if c.who == author {
		found.desired, found.earlier = c.changed, c.desired
		problems, err := c.writer().findAuthorProblems(c.x.ctx, found)
		if err != nil {
			problems = append(problems, err.Error())
		}
		c.problems = problems
		return
	}
	if c.written == nil {
		c.skipped = "it was not written"
		return
	}
	problems, err := found.findProblems(c.mutation)
	if err != nil {
		problems = append(problems, err.Error())
	}
	c.problems = problems
	if c.x.shown.wasMissing(c.key()) {
		c.problems = append(c.problems, "a snapshot that Sync looked at was without the child")
	}
	if c.time == beforeWrite && found.after != nil && found.after.GetAnnotations()[revisionKey] != "2" {
		c.problems = append(c.problems, "what Sync has changed is not written")
	}
}

// readReady records the Ready condition of the parent.
func (c *exploredChild) readReady() {
	parent := new(unstructured.Unstructured)
	parent.SetGroupVersionKind(c.x.operator.KindOf(c.parent.object))
	if err := c.x.operator.Client.Get(c.x.ctx, client.ObjectKeyFromObject(c.parent.object), parent); err != nil {
		c.ready = err.Error()
		return
	}
	conditions, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == "Ready" {
			c.ready = fmt.Sprintf("Ready=%v, %v: %v", fields["status"], fields["reason"], fields["message"])
		}
	}
}

// isSilent reports whether the parent's status does not mention a problem.
func (t *trial) isSilent() bool {
	return !strings.HasPrefix(t.ready, "Ready=False") || strings.HasPrefix(t.ready, "Ready=False, Progressing")
}
