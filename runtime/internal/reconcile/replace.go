package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// A desired child may need what an undesired one holds: a node port, a host, the last place in a
// quota. The API server refuses to create the one while the other exists, and the runtime keeps the
// other while a child of its kind is refused. With the option Replaces the author says which one
// goes first.

// findReplaced returns the children that a task replaces and that are to be removed now, and why
// the task waits; empty if it does not. A child that exists replaces nothing any more. If the name
// of the child belongs to another object, or the API server would refuse the child, the task does not wait either:
// nothing is removed for a child that cannot be created, and its creation says why.
func (r *run) findReplaced(ctx context.Context, observed *observed, t task) (first []child, why string) {
	if len(t.replaces) == 0 || t.observed != nil {
		return nil, ""
	}
	for _, old := range observed.all() {
		if !slices.Contains(t.replaces, old.key()) {
			continue
		}
		why = "waits for " + old.key().String() + ", which it replaces"
		if old.object.GetDeletionTimestamp() == nil {
			first = append(first, old)
		}
	}
	if len(first) == 0 {
		return nil, why
	}
	old := make([]client.Object, len(first))
	for i := range first {
		old[i] = first[i].object
	}
	isTaken := !apierrors.IsNotFound(r.loop.liveReader.Get(ctx, t.Name, t.kind.newObject()))
	if isTaken || r.checkSuccessor(ctx, t, old...) != nil {
		return nil, ""
	}
	return first, why
}

// reasonUnchecked is the reason of an Event about a deletion before which it was unknown whether the API server accepts
// what comes in its place.
const reasonUnchecked = "SuccessorUnknown"

// checkSuccessor returns an error if the API server would refuse a child for which old objects are to be deleted.
func (r *run) checkSuccessor(ctx context.Context, t task, old ...client.Object) error {
	refusal, unknown := t.kind.applier.CheckSuccessor(ctx, r.now, &r.state.applied, t.Desired, t.observed, old...)
	if unknown != nil {
		r.warn(ctx, reasonUnchecked, fmt.Sprintf("%s: the old object is deleted, although it is unknown whether the API server accepts the new one: %s", t.Key(), unknown))
	}
	return refusal
}

// checkReplaced returns the tasks whose option Replaces is valid, and what is wrong with the
// others.
func checkReplaced(made plan) (valid []task, invalid []error) {
	desired := make(map[apply.Key]bool, len(made.tasks))
	for _, task := range made.tasks {
		desired[task.Key()] = true
	}
	isNeeded := func(key apply.Key) bool { return desired[key] || made.keep[key] }
	for _, task := range made.tasks {
		if i := slices.IndexFunc(task.replaces, isNeeded); i >= 0 {
			invalid = append(invalid, errInvalid{fmt.Errorf("%s replaces %s, which is desired or kept", task.Key(), task.replaces[i])})
			continue
		}
		valid = append(valid, task)
	}
	return valid, invalid
}

// joinFailed joins the errors of children that could not be applied. Where the API server has
// refused to create one, the error names the undesired children of the kind, which stay meanwhile,
// and the option that would have them go first.
func joinFailed(failed []errChild, undesired []child) error {
	var all []error
	for _, one := range failed {
		if one.creates && isRefusal(one.err) {
			one.advice = describeUndesired(one.key, undesired)
		}
		all = append(all, one)
	}
	return errors.Join(all...)
}

// isRefusal reports whether the API server has refused the content of a child. A name that is taken,
// a right that the operator lacks and a failure that passes by itself are no refusals.
func isRefusal(err error) bool {
	return !backoff.IsTransient(err) && !process.LacksRight(err) && !errors.As(err, new(apply.ErrNameConflict))
}

// describeUndesired says which undesired children of the kind stay while a child is refused. It
// names no option for kinds whose deletion policies the author has to write out, since users' data
// goes with them.
func describeUndesired(key apply.Key, undesired []child) string {
	var names []string
	for _, child := range undesired {
		if child.GroupVersionKind == key.Kind {
			names = append(names, child.key().String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	stay, needed := "stays, which is undesired", "it holds"
	if len(names) > 1 {
		stay, needed = "stay, which are undesired", "they hold"
	}
	text := fmt.Sprintf("; meanwhile %s %s", joinFirst(names, ", ", " and %d more"), stay)
	if apply.HoldsUserData(key.Kind.GroupKind()) {
		return text
	}
	return text + fmt.Sprintf(": if %s needs what %s, add the option operator.Replaces", key, needed)
}
