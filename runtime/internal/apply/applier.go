package apply

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// Applier applies the children of one kind.
type Applier struct {
	Client  client.Writer
	Live    client.Reader // reads from the API server, never from a cache
	Manager string        // the field manager
	// New returns an empty object of the kind: typed, or unstructured with
	// its group, version and kind.
	New func() client.Object
	// ParentOf returns the UID of the parent that an object is a child of, and
	// the parent's name for messages; empty when it is none's of this
	// controller.
	ParentOf func(client.Object) (types.UID, string)
	// Claims returns those that other controllers of this runtime have to an
	// object, in this project or another. Nil: nobody has any.
	Claims func(client.Object) []Claim
	// Label is the key under which every child carries its parent's UID; empty:
	// they carry none.
	Label string
	// Metadata says that live children are metav1.PartialObjectMetadata, since
	// the cache holds no more of them. So are the objects of outcomes then.
	Metadata bool

	shapes shapeSet
}

// Action is what became of a child.
type Action string

// What can become of a child.
const (
	Unchanged Action = "unchanged"
	Created   Action = "created"
	Updated   Action = "updated"
	Adopted   Action = "adopted" // it was there before, and not the parent's
	Waiting   Action = "waiting" // being deleted; to be created once it is gone
	Replace   Action = "replace" // to be deleted by the caller, and created once it is gone
)

// Outcome is what an apply did.
type Outcome struct {
	Action Action
	Object client.Object // the child as it is known now; not to be changed
	Drift  bool          // someone else had changed what we own, and nobody was told yet
	// Altered are the paths at which the API server or its admission keeps other values
	// than those that are desired.
	Altered []string
	// Conflict says why a write is left out for now, since what was written before
	// did not last.
	Conflict *backoff.Conflict
}

// Do brings a child to its desired state. live is the child as observed; nil
// when there is none. A write that fails is not made again before its time: the
// error is a [backoff.Failed].
func (a *Applier) Do(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	outcome, err := a.attempt(ctx, now, memo, d, live, (*Applier).do)
	if a.Metadata && outcome.Object != nil {
		outcome.Object = metadataOf(outcome.Object)
	}
	return outcome, err
}

func (a *Applier) do(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if live == nil {
		return a.create(ctx, now, memo, d)
	}
	if live.GetDeletionTimestamp() != nil {
		return Outcome{Action: Waiting, Object: live}, nil
	}
	if d.Strategy == CreateOnly {
		if d.owns(live) {
			return Outcome{Action: Unchanged, Object: live}, nil
		}
		return a.own(ctx, now, memo, d, live)
	}
	if d.Strategy == OnDelete && d.IsOutdated(live) && !d.owns(live) { // which waits for nothing
		return a.own(ctx, now, memo, d, live)
	}
	if verdict, known := memo.known(now, d, live); known && verdict == converged && !d.Fresh {
		return Outcome{Action: Unchanged, Object: live, Altered: memo.alteredOf(d)}, nil
	}
	live, err := a.whole(ctx, d, live)
	if err != nil {
		return Outcome{}, err
	}
	verdict, err := a.judge(now, memo, d, live)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case d.Fresh && verdict == converged && !d.IsOutdated(live), verdict == unsettled:
		return a.writeAgain(ctx, now, memo, d, live)
	case verdict == converged:
		return Outcome{Action: Unchanged, Object: live, Altered: memo.alteredOf(d)}, nil
	case verdict == unstamped:
		return a.ask(ctx, now, memo, d, live)
	case verdict == drifted, memo.returnsTo(now, d):
		return a.repeat(ctx, now, memo, d, live, a.change)
	}
	return a.change(ctx, now, memo, d, live)
}

// whole reads a child of which only the metadata is cached.
func (a *Applier) whole(ctx context.Context, d Desired, live client.Object) (client.Object, error) {
	if _, partial := live.(*metav1.PartialObjectMetadata); !partial {
		return live, nil
	}
	full := a.New()
	err := a.Live.Get(ctx, d.Name, full)
	if apierrors.IsNotFound(err) || err == nil && full.GetUID() != live.GetUID() {
		return nil, ErrStale{d.Key()}
	}
	return full, err
}

// writeAgain writes all that is desired to a child whose values may differ from it
// since the API server alters them. Recreate replaces such a child only if a dry run
// tells that it would not be altered again.
func (a *Applier) writeAgain(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if d.Strategy != Recreate {
		outcome, err := a.update(ctx, now, memo, d, live)
		if err == nil && outcome.Action == Updated {
			outcome.Drift = !d.Fresh && memo.last(d.Key()).altered == nil
		}
		return outcome, err
	}
	dry, err := a.patch(ctx, d, "uid", string(live.GetUID()), client.DryRunAll)
	if len(refusedFields(err)) > 0 {
		err = a.remember(now, memo, d, live)
		return Outcome{Action: Unchanged, Object: live, Altered: memo.alteredOf(d)}, err
	}
	differs, err := isAnother(d, live, dry, err)
	switch {
	case err != nil:
		return Outcome{}, err
	case differs:
		return Outcome{Action: Replace, Object: live}, nil
	}
	return a.update(ctx, now, memo, d, live)
}

func (a *Applier) change(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	if d.Strategy == Recreate {
		return a.replace(ctx, now, memo, d, live)
	}
	last := memo.of(d.Key(), live)
	if steps, ok := a.revision(memo, d, live); ok && (last == nil || last.altered == nil) {
		return a.revise(ctx, now, memo, d, live, steps)
	}
	return a.update(ctx, now, memo, d, live)
}

// taken decides about an object that holds the child's name: ours goes on as a
// live child, any other is adopted or left alone as the policy says.
func (a *Applier) taken(ctx context.Context, now time.Time, memo *Memo, d Desired) (Outcome, error) {
	key := d.Key()
	live := a.New()
	err := a.Live.Get(ctx, d.Name, live)
	if apierrors.IsNotFound(err) {
		return Outcome{}, ErrStale{key}
	}
	if err != nil {
		return Outcome{}, err
	}
	holder, known := a.holder(live), memo.of(key, live) != nil
	ours := a.owned(live, d.Owner) || holder == "" && (known || a.marked(live, d.Owner))
	switch {
	case ours:
		return a.do(ctx, now, memo, d, live)
	case known && d.adoptable(live, holder): // something took it from this parent
		return a.repeat(ctx, now, memo, d, live, a.adopt)
	case d.adoptable(live, holder):
		return a.adopt(ctx, now, memo, d, live)
	}
	return Outcome{}, ErrTaken{key, holder, live}
}

// owned tells whether an object is a child of this parent.
func (a *Applier) owned(object client.Object, owner types.UID) bool {
	parent, _ := a.ParentOf(object)
	return parent == owner
}

// marked tells whether an object carries the label of a parent's child, or refers to the
// parent, and was made by this controller, although nothing controls it any more.
func (a *Applier) marked(object client.Object, owner types.UID) bool {
	labelled := a.Label != "" && object.GetLabels()[a.Label] == string(owner)
	refers := slices.ContainsFunc(object.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == owner })
	return (labelled || refers) && slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == a.Manager && entry.Subresource == ""
	})
}

// holder names what controls an object; empty when nothing does.
func (a *Applier) holder(object client.Object) string {
	if ref := metav1.GetControllerOf(object); ref != nil {
		return ref.Kind + " " + ref.Name
	}
	if _, name := a.ParentOf(object); name != "" {
		return name
	}
	for _, claim := range a.claims(object) {
		return claim.Holder
	}
	return ""
}

// update applies to the child that was observed, and to no other: with the UID
// of a child that is gone the API server refuses to make a new one.
func (a *Applier) update(ctx context.Context, now time.Time, memo *Memo, d Desired, live client.Object) (Outcome, error) {
	upgraded, err := a.upgrade(ctx, memo, d, live)
	if err == nil {
		err = a.emptyObjects(ctx, d, upgraded)
	}
	if err != nil {
		return Outcome{}, err
	}
	answer, err := a.patch(ctx, d, "uid", string(live.GetUID()))
	if apierrors.IsInvalid(err) {
		answer, err = a.applyOverConflicts(ctx, d, live, err)
	}
	outcome, err := a.outcome(ctx, d, live, answer, err)
	if err != nil || outcome.Action == Replace {
		return outcome, err
	}
	if outcome.Action == Updated && a.lacksObject(d, answer) {
		if answer, err = a.patch(ctx, d, "uid", string(live.GetUID())); err != nil {
			return Outcome{}, err
		}
	}
	if outcome.Object, err = a.reclaim(ctx, d, answer); err != nil {
		return Outcome{}, err
	}
	err = a.remember(now, memo, d, outcome.Object)
	outcome.Altered = memo.alteredOf(d)
	return outcome, err
}

// outcome tells what a write to the child that was observed has done, by the API
// server's answer.
func (a *Applier) outcome(ctx context.Context, d Desired, live, answer client.Object, err error) (Outcome, error) {
	switch {
	case apierrors.IsConflict(err):
		return Outcome{}, errConflict{ErrStale{d.Key()}, err}
	case apierrors.IsInvalid(err):
		return a.refused(ctx, d, live, err)
	case err != nil:
		return Outcome{}, err
	case answer.GetResourceVersion() == live.GetResourceVersion():
		return Outcome{Action: Unchanged, Object: answer}, nil
	}
	return Outcome{Action: Updated, Object: answer}, nil
}

// Delete deletes the child that was observed, if it is still what it was then:
// otherwise it may be someone else's by now, and the error is ErrStale. It
// reports whether there was something to delete.
func (a *Applier) Delete(ctx context.Context, key Key, live client.Object) (bool, error) {
	uid, version := live.GetUID(), live.GetResourceVersion()
	err := a.Client.Delete(ctx, live, client.Preconditions{UID: &uid, ResourceVersion: &version}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case apierrors.IsConflict(err):
		return false, errConflict{ErrStale{key}, err}
	}
	return err == nil, err
}

func (a *Applier) patch(ctx context.Context, d Desired, precondition, value string, options ...client.PatchOption) (client.Object, error) {
	body, err := d.body(precondition, value)
	if err != nil {
		return nil, err
	}
	return a.send(ctx, d.Name, types.ApplyPatchType, body, append(options, client.ForceOwnership)...)
}

// send patches the child of a name, and returns what the API server answers.
func (a *Applier) send(ctx context.Context, name types.NamespacedName, patch types.PatchType, body []byte, options ...client.PatchOption) (client.Object, error) {
	answer := a.New()
	answer.SetName(name.Name)
	answer.SetNamespace(name.Namespace)
	return answer, a.Client.Patch(ctx, answer, client.RawPatch(patch, body), append(options, client.FieldOwner(a.Manager))...)
}
