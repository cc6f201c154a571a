package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// ChildKind is one kind of children.
type ChildKind struct {
	// Object is an empty object of the kind; see [Unstructured].
	Object client.Object
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
	// ReadyWhen reports whether a child is ready, in place of the rules that the
	// runtime has for its kind. An error is a reason why it is not. Nil: those
	// rules.
	ReadyWhen func(client.Object) (bool, error)
	// Metadata keeps only the metadata of these children in memory. Their
	// snapshot holds metav1.PartialObjectMetadata; see [BindMetadata].
	Metadata bool
	// PruneOnly marks a kind that Sync no longer returns: its children are only
	// pruned. It has no Fields.
	PruneOnly bool
	// Optional lets the CRD of the kind be absent, come and go. [Snapshot.Served] says
	// whether it is there. Until then, a desired child waits, which is no error.
	Optional bool
	// Namespaces are those that children of a namespaced parent may lie in beside
	// its own, and the only ones for children of a cluster-scoped parent;
	// [AnyNamespace] among them: every one. Empty: the parent's alone, and every one
	// for a cluster-scoped parent.
	Namespaces []string
	// ForbidDisconnect keeps the children the parent's when a user disconnects it.
	ForbidDisconnect bool
	// Fields are the fields that hold this kind; see [Bind].
	Fields Fields
}

// AnyNamespace stands for every namespace in [ChildKind.Namespaces] and [Snapshot.In].
const AnyNamespace = reconcile.AnyNamespace

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
	observe        func(reconcile.View, reconcile.ReadyRule)
	observeRefused func(reconcile.Refusals)
	desired        *set
}

// Bind ties a kind of children to its field in the Children struct, which the
// runtime fills before Sync, and to the one in Desired, which it reads after.
func Bind[T client.Object](observed *Snapshot[T], desired *DesiredSet[T]) Fields {
	return Fields{observe: observeInto(observed), observeRefused: observed.setRefused, desired: &desired.set}
}

// BindMetadata is [Bind] for a kind of which only the metadata is in memory.
func BindMetadata[T client.Object](observed *Snapshot[*metav1.PartialObjectMetadata], desired *DesiredSet[T]) Fields {
	return Fields{observe: observeInto(observed), observeRefused: observed.setRefused, desired: &desired.set}
}

func observeInto[T client.Object](snapshot *Snapshot[T]) func(reconcile.View, reconcile.ReadyRule) {
	return func(view reconcile.View, readyWhen reconcile.ReadyRule) {
		items := make([]T, len(view.Objects))
		for i, object := range view.Objects {
			items[i] = object.(T)
		}
		sortItems(items)
		*snapshot = Snapshot[T]{items: items, namespace: view.Namespace, readyWhen: readyWhen, read: view.Read, isUnserved: !view.IsServed}
	}
}
