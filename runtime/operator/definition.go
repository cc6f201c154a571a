package operator

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Definition describes one controller. Generated code fills it in; P is the
// parent's type, S its status type (struct{} when it has none), C and D are
// the generated Children and Desired structs.
type Definition[P client.Object, S, C, D any] struct {
	// Name is the controller's name, unique in the process: a lower-case
	// word such as "echoserver". With Group it names the field manager, so a
	// renamed controller no longer knows the fields it has set.
	Name string
	// Group is the API group under which the runtime's own keys live: the
	// finalizer <group>/finalizer and annotations on children.
	Group string
	// Parent is an empty object of the parent's kind.
	Parent P
	// Schemes registers the parent's types, and those of child kinds that
	// client-go does not know.
	Schemes runtime.SchemeBuilder
	// Kinds lists the kinds of children, and for each the fields of the two
	// structs that hold them. Nil means that there are none.
	Kinds func(observed *C, desired *D) []ChildKind
	// Status returns the parent's status. Nil means that the runtime writes
	// no status.
	Status func(P) *S
	// Conditions and ObservedGeneration return these fields of a status; nil
	// where the status has no such field.
	Conditions         func(*S) *[]metav1.Condition
	ObservedGeneration func(*S) *int64
	// Sync says what the parent wants.
	Sync func(context.Context, *Request[P, C]) (*Response[D, S], error)
	// Finalize runs in place of Sync once the parent is being deleted, until
	// it returns Finalized. Nil means that parents need no finalizer.
	Finalize func(context.Context, *Request[P, C]) (*Response[D, S], error)
}

// ChildKind is one kind of children.
type ChildKind struct {
	// Object is an empty object of the kind; see [Unstructured].
	Object client.Object
	// Update says how a change reaches an existing child; InPlace by default.
	Update UpdateStrategy
	// Adopt says what to do about an object that has the name of a child and
	// is not the parent's; Never by default.
	Adopt AdoptionPolicy
	// Retired marks a kind that is no longer made: what is left of it is
	// pruned. It has no Fields.
	Retired bool
	// Fields are the fields that hold this kind; see [Bind].
	Fields Fields
}

// UpdateStrategy says how a changed desired state reaches an existing child.
// It is set for a kind in [ChildKind], and for one child as an option of
// [DesiredSet.Add].
type UpdateStrategy string

const (
	// InPlace applies the change to the child. It is the default.
	InPlace UpdateStrategy = "InPlace"
	// Recreate deletes the child and creates it again, but only if the API
	// server says, in a dry run, that the change makes a difference.
	Recreate UpdateStrategy = "Recreate"
	// OnDelete lets a change reach the child when someone deletes it. Drift
	// from an unchanged desired state is repaired in place.
	OnDelete UpdateStrategy = "OnDelete"
	// CreateOnly creates the child when it is absent and never writes to it
	// again.
	CreateOnly UpdateStrategy = "CreateOnly"
)

// AdoptionPolicy says what to do about an object that has the name of a child
// and is not the parent's. It is set for a kind in [ChildKind], and for one
// child as an option of [DesiredSet.Add]. An object that is being deleted is
// never adopted.
type AdoptionPolicy string

const (
	// AdoptNever leaves the object alone: the pass fails, and the Ready
	// condition says NameTaken. It is the default.
	AdoptNever AdoptionPolicy = "Never"
	// AdoptIfUnowned makes it the parent's child unless another object
	// controls it.
	AdoptIfUnowned AdoptionPolicy = "IfUnowned"
	// AdoptForce makes it the parent's child, and takes it away from the
	// object that controls it.
	AdoptForce AdoptionPolicy = "Force"
)

// Unstructured returns an empty object of a kind that has no Go type.
// apiVersion is "v1" or "group/version".
func Unstructured(apiVersion, kind string) *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	return object
}

// Fields ties a kind of children to the fields of the generated structs.
type Fields struct {
	observe func([]client.Object)
	desired *set
}

// Bind ties a kind of children to its field in the Children struct, which the
// runtime fills before Sync, and to the one in Desired, which it reads after.
func Bind[T client.Object](observed *Snapshot[T], desired *DesiredSet[T]) Fields {
	return Fields{
		observe: func(objects []client.Object) {
			items := make([]T, len(objects))
			for i, object := range objects {
				items[i] = object.(T)
			}
			*observed = NewSnapshot(items...)
		},
		desired: &desired.set,
	}
}
