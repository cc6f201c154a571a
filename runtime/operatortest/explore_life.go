package operatortest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// parentLife is the writer of a trial in which a parent is created, changed and deleted.
const parentLife = "life"

// The steps of a parent's life. Each is begun and awaited for many parents at once.
const (
	birth      = "parent created"
	revision1  = "desired state changed"
	loss       = "child deleted"
	succession = "parent deleted and made again"
	dismissal  = "child not desired any more"
	refusal    = "creation refused"
	departure  = "parent deleted with its namespace"
)

// faultsOfLife returns the faults of the nth write of a child in a life.
func faultsOfLife() (all []Fault) {
	all = append(all, Fault{}) // nothing does
	for _, what := range []What{
		RefuseForbidden, RefuseNotFound, RefuseConflict, RefuseInvalid, RefuseInvalidField, RefuseTooManyRequests, RefuseInternalError, RefuseUnavailable,
	} {
		all = append(all, Fault{When: Instead, What: what, Once: true})
	}
	for _, what := range []What{Lose, TimeOut, CutWatches, DelayWatches, Crash, TimeTravel} {
		all = append(all, Fault{When: Before, What: what})
	}
	for _, what := range []What{Lose, CutWatches, Crash, TimeTravel} {
		all = append(all, Fault{When: After, What: what})
	}
	return all
}

// writesOfLife is how many writes of each child a life has: two creations, a change, a creation by
// the next parent of the name, and a deletion.
const writesOfLife = 5

// planLives returns the trials with lives of parents: for each child, with each fault at each of
// its writes, or in a short exploration with a few of them.
func planLives(x *exploration, children []trial) (trials []*trial) {
	faults := faultsOfLife()
	for i, like := range children {
		for n := 1; n <= writesOfLife; n++ {
			for j, fault := range faults {
				if fault.What == "" && n > 1 {
					continue
				}
				due := (j+n*5+i*3)%(len(faults)*2) == 0 || fault.What == ""
				if x.extent == short && !due {
					continue
				}
				one := like
				fault.Nth = n
				one.who, one.family, one.fault = parentLife, "life", fault
				one.mutationName = "no fault"
				if fault.What != "" {
					one.family, one.mutationName = string(fault.What), fmt.Sprintf("write %d %s %s", n, fault.When, fault.What)
				}
				trials = append(trials, &one)
			}
		}
	}
	return slices.DeleteFunc(trials, func(one *trial) bool { return !isTestSelected(x.t, one.name()) })
}

// runLives runs the life of one parent of each variant. Faults select writes by their resource, so
// that there is one child of a resource at a time.
func runLives(x *exploration, trials []*trial) {
	x.t.Helper()
	kindOf := func(one *trial) string { kind, _, _ := strings.Cut(one.childName, " "); return kind }
	fits := func(one *trial, now []*trial) bool {
		return !slices.ContainsFunc(now, func(other *trial) bool { return kindOf(other) == kindOf(one) })
	}
	runRounds(x, parentLife, trials, fits, func(parents []*exploredParent, _ *trial) { runLivesRound(x, parents) })
}

func runLivesRound(x *exploration, parents []*exploredParent) {
	x.t.Helper()
	var children []*exploredChild
	for _, h := range parents {
		for _, s := range h.children {
			children = append(children, s)
			if s.fault.What != "" {
				s.fault.Resource = s.resource
				x.c.Inject(s.fault)
			}
		}
	}
	eachInParallel(x, parents, createParent)
	awaitStep(x, children, birth)
	for _, s := range children {
		if s.skipped == "" {
			s.desired = changeDesired(s.desired, "1")
			x.author.replaceContent(s.key(), s.desired)
		}
	}
	forceParentsOf(x, children)
	awaitStep(x, children, revision1)
	eachInParallel(x, children, loseChild)
	awaitStep(x, children, loss)
	inParallel(children, func(s *exploredChild) {
		if child := readChild(x, s.child); child != nil {
			s.gone = append(s.gone, child.GetUID())
		}
	})
	eachInParallel(x, parents, startSuccessor)
	awaitStep(x, children, succession)
	dismissed := slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool { return s.child.Orphaned }) // these stay, and others may follow
	for _, s := range dismissed {
		x.author.replaceContent(s.key(), map[string]any{})
	}
	forceParentsOf(x, dismissed)
	awaitStep(x, dismissed, dismissal)
	for _, s := range children {
		if s.fault.What != "" && x.c.Struck(s.fault) == 0 && len(s.problems) == 0 {
			s.skipped = "the fault did not strike"
		}
	}
	x.c.ClearFaults()
	eachInParallel(x, parents, dropParent)
	x.c.sent.dropObjects()
}

// loseChild deletes a child.
func loseChild(x *exploration, s *exploredChild) {
	if s.skipped != "" {
		return
	}
	if child := readChild(x, s.child); child != nil {
		s.gone = append(s.gone, child.GetUID())
		err := x.c.Client.Delete(x.ctx, child, client.PropagationPolicy("Background"), client.GracePeriodSeconds(0))
		skipTrial(x, s, client.IgnoreNotFound(err))
	}
}

// startSuccessor deletes a parent, and creates another one of its name.
func startSuccessor(x *exploration, h *exploredParent) {
	err := x.c.Client.Delete(x.ctx, h.object, client.PropagationPolicy("Background"))
	if client.IgnoreNotFound(err) != nil {
		x.t.Error(err)
	}
	next := makeParent(x, h.variant, h.object.GetName())
	for deadline := time.Now().Add(x.patience); ; time.Sleep(interval) {
		err := x.c.Client.Create(x.ctx, next)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			x.t.Errorf("create %s again: %v", next.GetName(), err)
			return
		}
	}
	x.author.dropParent(h.object.GetUID())
	h.object = next
}

// stillTheSame says that a child of a deleted parent has not been deleted.
const stillTheSame = "the child is still the same"

// mostOfGarbageCollection is how long the garbage collector may take.
const mostOfGarbageCollection = 2 * time.Minute

// awaitStep waits until the operator has carried out a step, and records what is missing.
func awaitStep(x *exploration, children []*exploredChild, step string) {
	x.t.Helper()
	patience := x.patience / 4
	if step == succession || step == departure {
		patience = x.patience // with the cluster's own controllers
	}
	begun, deadline := time.Now(), time.Now().Add(patience)
	for {
		settled := awaitRoundSettled(x)
		inParallel(children, func(s *exploredChild) { s.late = stepProblem(x, s, step) })
		late := slices.DeleteFunc(slices.Clone(children), func(s *exploredChild) bool { return s.late == "" })
		if len(late) == 0 {
			return
		}
		uncollected := func(s *exploredChild) bool { return s.late == stillTheSame }
		if step == succession && slices.ContainsFunc(late, uncollected) && time.Since(begun) < mostOfGarbageCollection {
			deadline = time.Now().Add(patience) // the old children are not the operator's to delete
		}
		if time.Now().Before(deadline) {
			x.c.Advance(10 * time.Second) // failed writes back off
			time.Sleep(10 * interval)
			continue
		}
		eachInParallel(x, late, readReady)
		for _, s := range late {
			s.problems = append(s.problems, fmt.Sprintf("%s: %s", step, s.late))
			if settled != "" {
				s.problems = append(s.problems, "the operator does not settle: "+settled)
			}
		}
		return
	}
}

// stepProblem returns what a step still has to do with a child. It is empty if it is done.
func stepProblem(x *exploration, s *exploredChild, step string) string {
	if s.skipped != "" || len(s.problems) > 0 {
		return ""
	}
	if step == departure {
		return departureProblem(x, s)
	}
	if err := findChild(x, s); err != nil {
		return "Sync was not called"
	}
	if step == refusal {
		return refusalProblem(x, s)
	}
	if step == loss || step == revision1 && s.takesChanges() {
		s.desired = changeDesired(s.desired, "1")
	}
	child := readChild(x, s.child)
	if step == dismissal {
		if child == nil || child.GetDeletionTimestamp() != nil {
			return ""
		}
		return "the child is still there"
	}
	switch {
	case child == nil:
		return "there is no child"
	case child.GetDeletionTimestamp() != nil:
		return "the child is being deleted"
	case slices.Contains(s.gone, child.GetUID()) && (step != succession || !s.child.Orphaned):
		return stillTheSame
	case !isOwned(x, child, s):
		return "the child is not its parent's"
	}
	found, err := missingFields(x, s, child)
	if err != nil {
		return err.Error()
	}
	if len(found) > 0 {
		return strings.Join(found, "\n")
	}
	return parentProblem(x, s)
}

// takesChanges reports whether a change of the desired state reaches an existing child.
func (s *exploredChild) takesChanges() bool {
	return s.child.Strategy != string(operator.CreateOnly) && s.child.Strategy != string(operator.OnDelete)
}

func isOwned(x *exploration, child *unstructured.Unstructured, s *exploredChild) bool {
	for _, loop := range knownLoops(x.c) {
		if owner, _ := loop.ParentOf(child); owner == s.parent.object.GetUID() {
			return true
		}
	}
	return false
}

// missingFields returns the desired fields that a child does not have as the API server sets them
// on a new child.
func missingFields(x *exploration, s *exploredChild, child *unstructured.Unstructured) ([]string, error) {
	made, err := writerFor(x, s).dryRunCreate(x.ctx, s.desired)
	if err != nil {
		return nil, err
	}
	expected, got := contentOf(made), contentOf(child)
	compared := mutationResult{secret: child.GetKind() == "Secret"}
	for _, name := range slices.Sorted(maps.Keys(s.desired)) {
		if isContent(name) {
			compared.compareRestored(path{{field: name}}, s.desired[name], expected[name], got[name], s.shape.field(name))
		}
	}
	return compared.found, nil
}
