package operator

import "github.com/opgen-dev/opgen/runtime/internal/declared"

// Policies say what happens to a child, or to the children of a kind: how a change reaches it
// (Update), what becomes of an object that has its name (Adopt), what happens when Sync drops it and
// when its parent goes (WhenDropped and WhenDeleted), what to do about a change of an immutable field
// (WhenImmutable), and what happens to its dependents when it is recreated (WhenRecreated). An empty
// policy of a child is that of its kind.
type Policies = declared.Policies

// UpdateStrategy says how a changed desired state reaches an existing child.
// It is set for a kind in [ChildKind], and for one child as an option of
// [DesiredSet.Add].
type UpdateStrategy = declared.UpdateStrategy

const (
	// InPlace applies the change to the child. It is the default.
	InPlace = declared.InPlace
	// Recreate deletes the child and creates it again, but only if the API
	// server says, in a dry run, that the change makes a difference.
	Recreate = declared.Recreate
	// OnDelete lets a change reach the child when someone deletes it. Drift
	// from an unchanged desired state is repaired in place. Ready stays True, and
	// its reason is Outdated while children lack a change.
	OnDelete = declared.OnDelete
	// CreateOnly creates the child when it is absent, and never writes to it again
	// but to keep it the parent's child.
	CreateOnly = declared.CreateOnly
	// RollingInPlace applies the change to one child of the kind after the
	// other, in the order in which Sync added them, and goes on only while those
	// that have it are ready. An unhealthy child that lacks the change goes first,
	// so that a reverted change repairs a rolling update that is stuck. See
	// [DesiredSet.SetMaxUnavailable], [UpdateLast] and [UpdateIf].
	RollingInPlace = declared.RollingInPlace
	// RollingRecreate recreates one child of the kind after the other, likewise.
	RollingRecreate = declared.RollingRecreate
)

// AdoptionPolicy says what to do about an object that has the name of a child
// and is not the parent's. It is set for a kind in [ChildKind], and for one
// child as an option of [DesiredSet.Add]. An object that is being deleted is
// never adopted.
type AdoptionPolicy = declared.AdoptionPolicy

const (
	// AdoptNever leaves the object alone: the reconcile fails, and the Ready
	// condition says NameConflict. It is the default.
	AdoptNever = declared.AdoptNever
	// AdoptIfUnowned makes it the parent's child unless another object
	// controls it.
	AdoptIfUnowned = declared.AdoptIfUnowned
	// AdoptForce makes it the parent's child, and takes it away from the
	// object that controls it.
	AdoptForce = declared.AdoptForce
	// AdoptAsItIs makes it the parent's child as AdoptIfUnowned does, and leaves it as it is: each of
	// its fields stays until Sync desires that field otherwise than at the adoption. Fields are
	// those of the top level and one level below, such as spec.replicas and spec.template, and
	// single labels and annotations. What Sync does not desire stays for good. A Secret cannot be
	// adopted so, unless it is [CreateOnly].
	AdoptAsItIs = declared.AdoptAsItIs
)

// DeletionPolicy says what happens to a child that goes. It is set for a kind in [ChildKind], and for
// one child by the options [WhenDropped] and [WhenDeleted] of [DesiredSet.Add].
type DeletionPolicy = declared.DeletionPolicy

const (
	// Delete deletes the child. It is the default.
	Delete = declared.Delete
	// Orphan leaves the child in the cluster without an owner, as kubectl delete
	// --cascade=orphan does.
	Orphan = declared.Orphan
)

// WhenDropped says what happens to one child when Sync no longer desires it, whatever its kind says. The
// child carries the policy in an annotation, so that it counts when Sync does not mention the child.
func WhenDropped(policy DeletionPolicy) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.WhenDropped = policy })
}

// WhenDeleted says what happens to one child when its parent goes, whatever its kind says. The child
// carries the policy in an annotation, too.
func WhenDeleted(policy DeletionPolicy) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) { child.WhenDeleted = policy })
}

// ImmutablePolicy says what to do when the API server refuses a change in place
// because a field is immutable. It is set for a kind in [ChildKind], and for one
// child as an option of [DesiredSet.Add].
type ImmutablePolicy = declared.ImmutablePolicy

const (
	// FailIfImmutable fails the reconcile. It is the default.
	FailIfImmutable = declared.FailIfImmutable
	// RecreateIfImmutable deletes the child and creates it again.
	RecreateIfImmutable = declared.RecreateIfImmutable
)

// RecreationPolicy says what happens to the dependents of a child that is recreated, for whatever reason.
// It is set for a kind in [ChildKind], and for one child as an option of [DesiredSet.Add].
type RecreationPolicy = declared.RecreationPolicy

const (
	// DeleteDependents has the garbage collector delete them. It is the default.
	DeleteDependents = declared.DeleteDependents
	// OrphanDependents leaves them in the cluster, as kubectl delete --cascade=orphan does, for the
	// new child to adopt: the Pods of a StatefulSet go on running while its volume claim templates
	// change.
	OrphanDependents = declared.OrphanDependents
)
