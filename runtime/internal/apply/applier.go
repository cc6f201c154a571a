package apply

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// Applier applies the children of one kind.
type Applier struct {
	Client     client.Writer
	LiveReader client.Reader // reads from the API server, never from a cache
	Manager    string        // the field manager
	// New returns an empty object of the kind: typed, or unstructured with its group,
	// version and kind.
	New func() client.Object
	// ParentOf returns the UID of the parent that an object is a child of, and the parent's
	// name for messages. Both are empty if the object is no child of this controller.
	ParentOf func(client.Object) (types.UID, string)
	// Claims returns the claims of other controllers of this runtime, in this project or
	// another. Nil: there are none.
	Claims func(client.Object) []Claim
	// Label is the key of the label that holds the parent's UID. Empty: children have none.
	Label string
	// CreatedAsKey is the key of the annotation in which a child names itself. Empty: children have none.
	CreatedAsKey string
	// CopiedBy returns who wrote the marks of an object that is the copy of a child; empty if it
	// is none. Nil: there are none.
	CopiedBy func(client.Object) string
	// TakeOverFrom are the field managers whose fields become this one's in children that are adopted or
	// taken over.
	TakeOverFrom []string
	// Metadata says that observed children are metav1.PartialObjectMetadata, since the cache
	// holds nothing else. Outcomes hold the same type then.
	Metadata bool

	entries  managedfields.Interner
	noDryRun sync.Once // says that no child of the kind can be compared with a new one
}

// Action is what an apply did to a child.
type Action string

// What an apply can do to a child.
const (
	Unchanged       Action = "unchanged"
	Created         Action = "created"
	Updated         Action = "updated"
	Adopted         Action = "adopted"  // it existed and was not the parent's
	Waiting         Action = "waiting"  // it is being deleted; the caller applies it again once it is gone
	NeedsRecreation Action = "recreate" // the caller deletes it, and applies it again once it is gone
)

// Outcome is the result of an apply.
type Outcome struct {
	Action Action
	Object client.Object // the child as it is now; read-only
	Drift  bool          // someone else changed fields that we own; reported once per drift
	// Altered are the paths at which the API server or its admission keeps other values
	// than the desired ones.
	Altered []string
	// IsOutdated says that the child keeps an earlier desired state until someone deletes it.
	IsOutdated bool
	// Gone is the error of a generated value that is gone. Everything else is written.
	Gone error
	// Conflict is set when a write is postponed because an earlier one did not last.
	Conflict *backoff.Conflict
}

// ApplyChild brings a child to its desired state. observed is nil if there is no child. A write
// that fails is not repeated before it is due: until then the error is a [backoff.Failed].
func (a *Applier) ApplyChild(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object) (Outcome, error) {
	return a.attempt(ctx, now, state, d, observed, (*childApply).apply)
}

// UpdateOwnership writes the metadata that makes an object the parent's child, and what is applied in
// place. It writes nothing else.
func (a *Applier) UpdateOwnership(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object) (Outcome, error) {
	if d.hasRecords(observed, a.Manager) {
		return Outcome{Action: Unchanged, Object: observed}, nil
	}
	return a.attempt(ctx, now, state, d, observed, (*childApply).updateOwnership)
}

// Delete deletes the child that was observed, and reports whether it existed. The propagation says what
// happens to its dependents. Delete returns ErrStale if the object has changed since, because it may not
// be the parent's any more.
func (a *Applier) Delete(ctx context.Context, key Key, observed client.Object, propagation metav1.DeletionPropagation) (bool, error) {
	uid, version := observed.GetUID(), observed.GetResourceVersion()
	err := a.Client.Delete(ctx, observed, client.Preconditions{UID: &uid, ResourceVersion: &version}, client.PropagationPolicy(propagation))
	return deletionResult(key, err)
}

// deletionResult returns what the API server's answer to a deletion means: whether the child existed, or
// [ErrStale] if it has changed since it was observed.
func deletionResult(key Key, err error) (existed bool, _ error) {
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case apierrors.IsConflict(err):
		return false, errConflict{ErrStale{key}, err}
	}
	return err == nil, err
}

// attempt runs a write of a child, unless the last one failed and the next is not due. The
// error is a [backoff.Failed] in both cases.
func (a *Applier) attempt(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object,
	write func(*childApply, context.Context, client.Object) (Outcome, error),
) (Outcome, error) {
	key, uid, before := d.Key(), uidOf(observed), ""
	if b := state.budgets[key]; b != nil {
		if err := b.Replay(now, d.digest, uid); err != nil {
			return Outcome{}, err
		}
	}
	if last := state.child(key); last != nil {
		before = last.digest
	}
	made := a.newApply(now, state, d.keptBy(observed, state, a.Manager))
	outcome, err := write(made, ctx, observed)
	outcome = a.asCached(outcome)
	if err = hideSecrets(err, made.desired, observed); err != nil {
		return outcome, recordFailure(&state.budgetOf(key).Budget, now, d.digest, uid, err)
	}
	state.recordSuccess(now, d, before, outcome.Action)
	outcome.IsOutdated = outcome.Action != Waiting && state.isLeftOutdated(d)
	if last := state.child(key); made.gone != nil && last != nil {
		outcome.Gone, last.version = made.gone, "" // the next reconcile compares it again
	}
	return outcome, nil
}

func (a *Applier) newApply(now time.Time, state *AppliedState, d Desired) *childApply {
	return &childApply{
		childComparer: childComparer{manager: a.Manager, entries: &a.entries, metadataOnly: a.Metadata, now: now, state: state, desired: d},
		client:        a.newClient(),
		applier:       a,
	}
}

func (a *Applier) newClient() childClient {
	return childClient{Writer: a.Client, live: a.LiveReader, manager: a.Manager, newObject: a.New}
}

// asCached returns an outcome with as much of its object as the cache holds.
func (a *Applier) asCached(outcome Outcome) Outcome {
	if a.Metadata && outcome.Object != nil {
		outcome.Object = metadataOf(outcome.Object)
	}
	return outcome
}

// isChildOf reports whether an object is a child of a parent.
func (a *Applier) isChildOf(object client.Object, parent types.UID) bool {
	uid, _ := a.ParentOf(object)
	return uid == parent
}

// holderOf returns the kind and name of the object's controller, for messages about a child of a
// parent in the API group. It is empty if there is none.
func (a *Applier) holderOf(object client.Object, group string) string {
	if ref := metav1.GetControllerOf(object); ref != nil {
		return holderName(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind(), ref.Name, group)
	}
	if _, name := a.ParentOf(object); name != "" {
		return name
	}
	for _, claim := range a.claimsOn(object) {
		return holderName(claim.Kind, claim.Name, group)
	}
	return ""
}

// holderName returns a kind and a name. It names the group of the kind if that is another than the
// given one: kinds of two groups may have the same name.
func holderName(kind schema.GroupKind, name, group string) string {
	switch {
	case kind.Kind == "":
		return ""
	case kind.Group == group:
		return kind.Kind + " " + name
	}
	return kind.String() + " " + name
}

// isOnlyOwner reports whether an object's controller reference names this owner, and no other
// controller of this runtime has it as a child: several may have the same parents.
func (a *Applier) isOnlyOwner(object client.Object, owner types.UID) bool {
	ref := metav1.GetControllerOfNoCopy(object)
	return ref != nil && ref.UID == owner && len(a.claimsOn(object)) == 0
}

// claimsOn returns the claims of other controllers on an object.
func (a *Applier) claimsOn(object client.Object) []Claim {
	if a.Claims == nil {
		return nil
	}
	return a.Claims(object)
}
