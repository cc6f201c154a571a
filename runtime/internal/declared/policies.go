package declared

import (
	"cmp"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Policies say what happens to a child, or to the children of a kind. An empty policy of a child is
// that of its kind, and an empty one of a kind is the default.
type Policies struct {
	// Update says how a change reaches an existing child; InPlace by default.
	Update UpdateStrategy
	// Adopt says what to do about an object that has the name of a child and
	// is not the parent's; Never by default.
	Adopt AdoptionPolicy
	// WhenDropped and WhenDeleted say what happens to a child that Sync no
	// longer desires, and to one whose parent goes; Delete by default.
	WhenDropped, WhenDeleted DeletionPolicy
	// WhenImmutable says what to do when the API server refuses a change in
	// place because a field is immutable; Fail by default.
	WhenImmutable ImmutablePolicy
	// WhenRecreated says what happens to the dependents of a child that is recreated, such as the
	// Pods of a StatefulSet; DeleteDependents by default.
	WhenRecreated RecreationPolicy
}

// DefaultPolicies are those of a kind that says nothing.
var DefaultPolicies = Policies{
	Update: InPlace, Adopt: AdoptNever, WhenDropped: Delete, WhenDeleted: Delete, WhenImmutable: FailIfImmutable,
	WhenRecreated: DeleteDependents,
}

// Or returns the policies of a child with those of its kind in place of empty ones.
func (p Policies) Or(kind Policies) Policies {
	return Policies{
		Update:        cmp.Or(p.Update, kind.Update),
		Adopt:         cmp.Or(p.Adopt, kind.Adopt),
		WhenDropped:   cmp.Or(p.WhenDropped, kind.WhenDropped),
		WhenDeleted:   cmp.Or(p.WhenDeleted, kind.WhenDeleted),
		WhenImmutable: cmp.Or(p.WhenImmutable, kind.WhenImmutable),
		WhenRecreated: cmp.Or(p.WhenRecreated, kind.WhenRecreated),
	}
}

// Hash returns a hash that differs for other policies.
func (p Policies) Hash() uint64 {
	hash := xxhash.New()
	_, _ = fmt.Fprintf(hash, "%q", p) // it never fails
	return hash.Sum64()
}

// AdoptionPolicy says what to do about an object that has the name of a child
// and is not the parent's. An object that is being deleted is never adopted.
type AdoptionPolicy string

// The adoption policies.
const (
	AdoptNever     AdoptionPolicy = "Never"     // it is left alone, and the reconcile fails with a name conflict
	AdoptIfUnowned AdoptionPolicy = "IfUnowned" // it is adopted unless it has another controller than the parent
	AdoptForce     AdoptionPolicy = "Force"     // it is adopted, and its controller loses it
	// AdoptAsItIs adopts as AdoptIfUnowned does, and each field stays as it is until Sync desires it
	// otherwise than at the adoption.
	AdoptAsItIs AdoptionPolicy = "AsItIs"
)

// AdoptsUnowned reports whether an object is adopted that has no other controller than the parent.
func (p AdoptionPolicy) AdoptsUnowned() bool {
	return p == AdoptIfUnowned || p == AdoptAsItIs || p == AdoptForce
}

// DeletionPolicy says what happens to a child that is undesired, or whose parent is deleted.
type DeletionPolicy string

// The deletion policies.
const (
	Delete DeletionPolicy = "Delete"
	Orphan DeletionPolicy = "Orphan" // it stays in the cluster without an owner
)

// ImmutablePolicy says what to do when the API server refuses a change in place because a field is
// immutable.
type ImmutablePolicy string

// The policies for immutable fields.
const (
	FailIfImmutable     ImmutablePolicy = "Fail"     // the child stays as it is, and the reconcile fails
	RecreateIfImmutable ImmutablePolicy = "Recreate" // the child is recreated
)

// RecreationPolicy says what happens to the dependents of a child that is recreated: the objects whose
// owner references name it.
type RecreationPolicy string

// The recreation policies.
const (
	DeleteDependents RecreationPolicy = "DeleteDependents" // the garbage collector deletes them
	OrphanDependents RecreationPolicy = "OrphanDependents" // they stay, for the new child to adopt
)
