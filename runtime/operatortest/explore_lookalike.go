package operatortest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/ownership"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
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
func (x *exploration) isPlaceable(s *exploredChild) bool {
	if s.parent.object.GetNamespace() == "" || s.before.GetNamespace() != s.parent.object.GetNamespace() {
		return false
	}
	return !slices.ContainsFunc(knownLoops(x.c), func(l *testcontrol.Loop) bool {
		return l.Manager == s.child.Manager && len(l.Namespaces[s.child.Kind.GroupKind()]) > 0
	})
}

// createLookalike creates the lookalike of a trial.
func createLookalike(x *exploration, s *exploredChild) error {
	made := &lookalike{x.newLookalike(s), x.c.sent.count()}
	x.shown.forbidObject(made.key())
	var err error
	switch s.way {
	case forcedApply:
		body, failed := json.Marshal(made.object.Object)
		if failed != nil {
			return failed
		}
		err = x.c.Client.Patch(x.ctx, made.object, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(foreignPrefix), client.ForceOwnership)
	case createAsOwner:
		err = x.c.Client.Create(x.ctx, made.object, client.FieldOwner(s.child.Manager))
	default:
		err = x.c.Client.Create(x.ctx, made.object, client.FieldOwner(foreignPrefix))
	}
	if err == nil {
		s.like = made
	}
	return err
}

// newLookalike returns the lookalike of a trial: what Sync desires of the child, with marks.
func (x *exploration) newLookalike(s *exploredChild) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: deepCopy(s.desired).(map[string]any)}
	object.SetLabels(s.before.GetLabels())
	object.SetAnnotations(s.before.GetAnnotations())
	switch {
	case strings.HasSuffix(s.mutationName, allMarks):
		object.SetOwnerReferences(s.before.GetOwnerReferences())
	case strings.HasSuffix(s.mutationName, markedByName):
		x.markByName(s, object)
	}
	if s.who == planter {
		object.SetNamespace(x.otherNamespace())
	} else {
		object.SetName(object.GetName() + "-copy")
	}
	return object
}

// markByName gives an object the annotation that names the parent, as a child has it without an
// owner reference.
func (x *exploration) markByName(s *exploredChild, object *unstructured.Unstructured) {
	parent := ownership.Parent{Kind: kindOf(x.c, s.parent.object), Name: client.ObjectKeyFromObject(s.parent.object)}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for _, loop := range knownLoops(x.c) {
		group, name, _ := strings.Cut(loop.Label, "/")
		if loop.Manager == s.child.Manager {
			annotations[ownership.KeysOf(group, name).Parent] = parent.String()
		}
	}
	object.SetAnnotations(annotations)
}

// lookalikeProblems returns what the operator has done to a lookalike, and what it has not done to
// the child.
func lookalikeProblems(x *exploration, s *exploredChild) (problems []string) {
	if s.like == nil {
		s.skipped = "it was not written"
		return nil
	}
	problems = s.like.problems(x, s)
	s.problems = nil
	if late := stepProblem(x, s, birth); late != "" {
		problems = append(problems, late)
	}
	parent, err := readParent(x, s.parent)
	if err != nil {
		return append(problems, err.Error())
	}
	if usual := x.usual[s.variant].finalizers; !slices.Equal(parent.GetFinalizers(), usual) {
		problems = append(problems, fmt.Sprintf("the parent has the finalizers %v, want %v", parent.GetFinalizers(), usual))
	}
	return append(problems, x.untruthsOf(s.parent)...)
}

// problems returns what has happened to a lookalike.
func (l *lookalike) problems(x *exploration, s *exploredChild) (problems []string) {
	if x.shown.wasShown(l.key()) {
		problems = append(problems, "Sync was shown "+l.String())
	}
	for _, request := range x.c.sent.since(l.mark) {
		isOurs := request.Resource == s.resource && request.Name == l.object.GetName() && request.Namespace == l.object.GetNamespace()
		if isOurs && request.Verb != "get" && !request.DryRun {
			problems = append(problems, fmt.Sprintf("the operator wrote to %s: %s", l, request.Request))
		}
	}
	after := readChild(x, testcontrol.SyncChild{Kind: l.object.GroupVersionKind(), Name: client.ObjectKeyFromObject(l.object)})
	switch {
	case after == nil || after.GetDeletionTimestamp() != nil:
		if !l.isCollected(s) {
			problems = append(problems, l.String()+" is gone")
		}
		return problems
	case after.GetUID() != l.object.GetUID():
		return append(problems, l.String()+" is another object")
	}
	before, now := contentOf(l.object), contentOf(after)
	dropOthers(after, s.child.Manager, before, now)
	var compared comparison
	compared.compareValues("", before, now)
	for _, d := range compared.found {
		problems = append(problems, fmt.Sprintf("%s has another %s", l, d.path))
	}
	return problems
}

func (l *lookalike) String() string {
	return fmt.Sprintf("the lookalike %s %s", l.object.GetKind(), client.ObjectKeyFromObject(l.object))
}

// isCollected reports whether the garbage collector may delete a lookalike while the parent lives:
// an owner reference names an object of its own namespace.
func (l *lookalike) isCollected(s *exploredChild) bool {
	return s.who == planter && len(l.object.GetOwnerReferences()) > 0
}

// removeLookalikes requires that lookalikes without an owner reference have outlived the parents,
// which are deleted, and removes them all.
func removeLookalikes(x *exploration, children []*exploredChild) {
	children = slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool { return s.like == nil })
	if len(children) == 0 {
		return
	}
	awaitRoundSettled(x)
	eachInParallel(x, children, func(x *exploration, s *exploredChild) {
		if len(s.problems) == 0 && s.skipped == "" && len(s.like.object.GetOwnerReferences()) == 0 {
			for _, problem := range s.like.problems(x, s) {
				s.problems = append(s.problems, "after the parent was deleted: "+problem)
			}
		}
		err := x.c.Client.Delete(x.ctx, s.like.object, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		if client.IgnoreNotFound(err) != nil {
			x.t.Log(err)
		}
	})
}

func (l *lookalike) key() childKey {
	return childKey{l.object.GroupVersionKind(), client.ObjectKeyFromObject(l.object)}
}
