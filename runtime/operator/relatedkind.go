package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/reconcile"
)

// AllNamespaces stands for every namespace in a list of them.
const AllNamespaces = "*"

// RelatedKind is an entry of what Sync reads and never owns. It selects objects
// of a kind by their names, or by their labels, or all of them, in some
// namespaces; one of the fields for each at the most is set. A path such as
// ".spec.configMapName" leads to a field of the parent; where that is not set,
// nothing is selected.
type RelatedKind struct {
	// Object is an empty object of the kind; see [Unstructured].
	Object client.Object
	// Name is a fixed name, NameFrom the path to a string or a list of them.
	Name, NameFrom string
	// Selector selects by labels in kubectl's syntax, SelectorFrom is the path
	// to a LabelSelector or a map of labels.
	Selector, SelectorFrom string
	// Namespaces are the namespaces to look in, [AllNamespaces] among them;
	// NamespacesFrom is the path to a string or a list of them. Without both it
	// is the parent's own, or every namespace for a parent that lies in none.
	Namespaces     []string
	NamespacesFrom string
	// Dynamic leaves the selection to Definition.Select.
	Dynamic bool
	// Metadata keeps only the metadata of these objects in memory. Their snapshot
	// holds metav1.PartialObjectMetadata.
	Metadata bool
	// Access is how the operator gets at these objects; empty is [AccessWatch].
	Access Access
	// Optional lets the CRD of the kind be absent, come and go. [Snapshot.Served] says
	// whether it is there.
	Optional bool
	// Fields is the field that holds this entry; see [BindRelated].
	Fields RelatedFields
}

// Access says how an operator gets at related objects.
type Access string

// The ways to get at related objects.
const (
	// AccessWatch watches the objects: their changes cause reconciles, and
	// a reconcile reads them from memory.
	AccessWatch Access = "watch"
	// AccessGet reads the objects by their names in each reconcile. It needs no
	// right but get. Their changes cause no reconcile.
	AccessGet Access = "get"
)

// Selection is one answer of an author's Related method to which objects of a
// kind Sync reads.
type Selection struct {
	// Names are the names of objects; nil selects by labels.
	Names []string
	// Selector selects by labels where there are no Names: an empty one selects
	// everything, nil nothing.
	Selector *metav1.LabelSelector
	// Namespaces are the namespaces to look in, [AllNamespaces] among them; nil
	// is the parent's own, or every namespace for a parent that lies in none.
	Namespaces []string
}

// RelatedFields ties an entry of related objects to its field.
type RelatedFields struct {
	observe func(reconcile.View, reconcile.ReadyRule)
}

// BindRelated ties an entry of related objects to its field in the Related
// struct, which the runtime fills before Sync.
func BindRelated[T client.Object](related *Snapshot[T]) RelatedFields {
	return RelatedFields{observe: observeInto(related)}
}
