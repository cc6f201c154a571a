package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// ChildKind is one kind of children: an empty Object of the kind (see [Unstructured]), its
// [Policies] and [Rules], and what the spec file says else of it: As, MaxUnavailable, Evict, HandOver,
// InPlace, History, NotPartOfReady, KeepDesired, Metadata, PruneOnly, Optional, Namespaces and
// ForbidDisconnect. Fields are the fields that hold the kind; see [Bind].
type ChildKind = declared.ChildKind

// Rules say when a child of a kind is ready (ReadyWhen), and when it has finished (FinishedWhen), in
// place of what the runtime knows of the kind. Whether the kind has no status subresource (LacksStatus),
// the runtime finds out itself.
type Rules = health.Rules

// History is how many children that have finished stay: the latest of those that are ready, such as a Job
// that is complete (Succeeded), and the latest of the others (Failed).
type History = declared.History

// Unstructured returns an empty object of a kind that has no Go type.
// apiVersion is "v1" or "group/version".
func Unstructured(apiVersion, kind string) *unstructured.Unstructured {
	object := new(unstructured.Unstructured)
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	return object
}

// Fields ties a kind of children, or of related objects, to the fields of the generated structs. See
// [Bind], [BindMetadata] and [BindRelated].
type Fields = declared.Fields

// Bind ties a kind of children to its field in the Children struct, which the
// runtime fills before Sync, and to the one in Desired, which it reads after.
func Bind[T client.Object](observed *Snapshot[T], desired *DesiredSet[T]) Fields {
	return Fields{Observe: observed.observe, ObserveRefused: observed.setRefused, Desired: &desired.set}
}

// BindMetadata is [Bind] for a kind of which only the metadata is in memory.
func BindMetadata[T client.Object](observed *Snapshot[*metav1.PartialObjectMetadata], desired *DesiredSet[T]) Fields {
	return Fields{Observe: observed.observe, ObserveRefused: observed.setRefused, Desired: &desired.set}
}

// BindRelated ties an entry of related objects to its field in the Related
// struct, which the runtime fills before Sync.
func BindRelated[T client.Object](related *Snapshot[T]) Fields {
	return Fields{Observe: related.observe}
}
