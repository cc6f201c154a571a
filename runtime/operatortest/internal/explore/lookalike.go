package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// A lookalike is an object that carries the marks of a child and is none: a copy that somebody else
// has made in the namespace of the child, or an object in a namespace where no child of the parent
// may lie, whoever wrote it. The operator must not write to it, nor show it to Sync.
type lookalike struct {
	object *unstructured.Unstructured // as it was created
	mark   int                        // number of requests that the operator had sent then
}

// The marks that a lookalike carries.
const (
	allMarks      = "all marks"
	fewMarks      = "no owner reference"
	markedByName  = "label and annotation"
	byCreate      = "create"
	createAsOwner = "create as the operator"
)

// planLookalikes returns the trials with lookalikes of a child. A short exploration has one.
func (s *selection) planLookalikes(like trial, who string) (trials []*trial) {
	mutations, all := []string{markedByName, allMarks, fewMarks}, []string{byCreate, forcedApply}
	if who == planter {
		mutations, all = mutations[:2], []string{createAsOwner, byCreate}
	}
	times := []string{running, down, beforeWrite, afterCreate}
	if s.extent == short {
		n := int(s.orderOf(who+like.childName) % 16)
		mutations = mutations[n%len(mutations):][:1]
		if who == planter { // each time costs a round
			mutations, all, times = []string{markedByName}, all[:1], times[:1]
		}
	}
	var setups []setup
	for _, way := range all {
		for _, time := range times {
			setups = append(setups, setup{way, asCreated, time})
		}
	}
	for _, marks := range mutations {
		one := like
		one.who, one.family, one.mutationName = who, "lookalike", "object with "+marks
		trials = append(trials, s.chooseTrials(one, setups)...)
	}
	return trials
}

func (t *trial) makesLookalike() bool { return t.who == copier || t.who == planter }

// isPlaceable reports whether a lookalike of a child can lie where no child of the parent may lie.
func (c *exploredChild) isPlaceable() bool {
	if c.parent.object.GetNamespace() == "" || c.before.GetNamespace() != c.parent.object.GetNamespace() {
		return false
	}
	return !slices.ContainsFunc(c.x.operator.KnownLoops(), func(l *testcontrol.Loop) bool {
		return l.Manager == c.child.Manager && len(l.Namespaces[c.child.Kind.GroupKind()]) > 0
	})
}

// createLookalike creates the lookalike of a trial.
func (c *exploredChild) createLookalike() error {
	made := &lookalike{c.newLookalike(), c.x.operator.Sent.Count()}
	c.x.shown.forbidObject(made.key())
	var err error
	switch c.way {
	case forcedApply:
		body, failed := json.Marshal(made.object.Object)
		if failed != nil {
			return failed
		}
		err = c.x.operator.Client.Patch(c.x.ctx, made.object, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(foreignPrefix), client.ForceOwnership)
	case createAsOwner:
		err = c.x.operator.Client.Create(c.x.ctx, made.object, client.FieldOwner(c.child.Manager))
	default:
		err = c.x.operator.Client.Create(c.x.ctx, made.object, client.FieldOwner(foreignPrefix))
	}
	if err == nil {
		c.like = made
	}
	return err
}

// newLookalike returns the lookalike of a trial: what Sync desires of the child, with marks.
func (c *exploredChild) newLookalike() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(c.desired)}
	object.SetLabels(c.before.GetLabels())
	object.SetAnnotations(c.before.GetAnnotations())
	switch {
	case strings.HasSuffix(c.mutationName, allMarks):
		object.SetOwnerReferences(c.before.GetOwnerReferences())
	case strings.HasSuffix(c.mutationName, markedByName):
		c.markByName(object)
	}
	if c.who == planter {
		object.SetNamespace(c.x.otherNamespace())
	} else {
		object.SetName(object.GetName() + "-copy")
	}
	return object
}

// markByName gives an object the annotation that names the parent, as a child has it without an
// owner reference.
func (c *exploredChild) markByName(object *unstructured.Unstructured) {
	parent := ownership.Parent{Kind: c.x.operator.KindOf(c.parent.object), Name: client.ObjectKeyFromObject(c.parent.object)}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for _, loop := range c.x.operator.KnownLoops() {
		group, name, _ := strings.Cut(loop.Label, "/")
		if loop.Manager == c.child.Manager {
			annotations[ownership.KeysOf(group, name).Parent] = parent.String()
		}
	}
	object.SetAnnotations(annotations)
}

// lookalikeProblems returns what the operator has done to a lookalike, and what it has not done to
// the child.
func (c *exploredChild) lookalikeProblems() (problems []string) {
	if c.like == nil {
		c.skipped = "it was not written"
		return nil
	}
	problems = c.like.problems(c)
	c.problems = nil
	if late := c.stepProblem(birth); late != "" {
		problems = append(problems, late)
	}
	parent, err := c.parent.read()
	if err != nil {
		return append(problems, err.Error())
	}
	if usual := c.x.usual[c.variant].finalizers; !slices.Equal(parent.GetFinalizers(), usual) {
		problems = append(problems, fmt.Sprintf("the parent has the finalizers %v, want %v", parent.GetFinalizers(), usual))
	}
	return append(problems, c.untruths()...)
}

// problems returns what has happened to a lookalike.
func (l *lookalike) problems(c *exploredChild) (problems []string) {
	if c.x.shown.wasShown(l.key()) {
		problems = append(problems, "Sync was shown "+l.String())
	}
	for _, request := range c.x.operator.Sent.Since(l.mark) {
		isOurs := request.Resource == c.resource && request.Name == l.object.GetName() && request.Namespace == l.object.GetNamespace()
		if isOurs && request.Verb != "get" && !request.DryRun {
			problems = append(problems, fmt.Sprintf("the operator wrote to %s: %s", l, request.Request))
		}
	}
	after := c.x.readChild(testcontrol.SyncChild{Kind: l.object.GroupVersionKind(), Name: client.ObjectKeyFromObject(l.object)})
	switch {
	case after == nil || after.GetDeletionTimestamp() != nil:
		if !l.isCollected(c) {
			problems = append(problems, l.String()+" is gone")
		}
		return problems
	case after.GetUID() != l.object.GetUID():
		return append(problems, l.String()+" is another object")
	}
	compared, err := c.kind.Compare(contentOf(l.object), contentOf(after))
	if err != nil {
		return append(problems, err.Error())
	}
	changed := withoutOthers(differentFields(compared).Union(compared.Added), after, c.child.Manager)
	for at := range schemas.Topmost(changed) {
		problems = append(problems, fmt.Sprintf("%s has another %s", l, at))
	}
	return problems
}

func (l *lookalike) String() string {
	return fmt.Sprintf("the lookalike %s %s", l.object.GetKind(), client.ObjectKeyFromObject(l.object))
}

// isCollected reports whether the garbage collector may delete a lookalike while the parent lives:
// an owner reference names an object of its own namespace.
func (l *lookalike) isCollected(c *exploredChild) bool {
	return c.who == planter && len(l.object.GetOwnerReferences()) > 0
}

// removeLookalikes requires that lookalikes without an owner reference have outlived the parents,
// which are deleted, and removes them all.
func (x *exploration) removeLookalikes(children []*exploredChild) {
	children = slices.DeleteFunc(slices.Clone(children), func(c *exploredChild) bool { return c.like == nil })
	if len(children) == 0 {
		return
	}
	x.awaitRoundSettled()
	inParallel(children, func(c *exploredChild) {
		if len(c.problems) == 0 && c.skipped == "" && len(c.like.object.GetOwnerReferences()) == 0 {
			for _, problem := range c.like.problems(c) {
				c.problems = append(c.problems, "after the parent was deleted: "+problem)
			}
		}
		err := x.operator.Client.Delete(x.ctx, c.like.object, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		if client.IgnoreNotFound(err) != nil {
			x.t.Log(err)
		}
	})
}

func (l *lookalike) key() childKey {
	return childKey{l.object.GroupVersionKind(), client.ObjectKeyFromObject(l.object)}
}
