package declared

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RelatedKind is an entry of what Sync reads and never owns. It selects objects
// of a kind by their names, or by their labels, or all of them, in some
// namespaces; one of the fields for each at the most is set, but Selector goes
// with Match. A path such as ".spec.configMapName" leads to a field of the
// parent; where that is not set, nothing is selected.
type RelatedKind struct {
	// Object is an empty object of the kind; see operator.Unstructured.
	Object client.Object
	// Name is a fixed name, NameFrom the path to a string or a list of them.
	Name, NameFrom string
	// Selector selects by labels in kubectl's syntax, SelectorFrom is the path
	// to a LabelSelector or a map of labels.
	Selector, SelectorFrom string
	// As is the name of the entry, for From of another one.
	As string
	// From is the As of another entry. The paths lead into each of its objects then, in
	// place of the parent, and so does the default of Namespaces. A cluster-scoped
	// object leaves that to the parent.
	From string
	// Match selects by fields: the value at each path in the object equals the
	// value at the path in the parent. Values are compared as texts.
	Match map[string]string
	// Namespaces are the namespaces to look in, [AllNamespaces] among them: every one;
	// NamespacesFrom is the path to a string or a list of them. Without both it
	// is the parent's own, or every namespace for a cluster-scoped parent.
	Namespaces     []string
	NamespacesFrom string
	// OfChild selects what a child controls, among the objects with the labels of
	// Selector.
	OfChild *OfChild
	// Dynamic leaves the selection to Definition.Select.
	Dynamic bool
	// Metadata keeps only the metadata of these objects in memory. Their snapshot
	// holds metav1.PartialObjectMetadata.
	Metadata bool
	// Access is how the operator gets at these objects; empty is [AccessWatch].
	Access Access
	// Delete lets Sync have these objects deleted, by Response.Delete.
	Delete bool
	// Patch lets Sync set fields of these objects, by the patches of its desired state.
	Patch bool
	// Optional lets the CRD of the kind be absent, come and go. Snapshot.Served says
	// whether it is there.
	Optional bool
	// Fields is the field that holds this entry; see operator.BindRelated.
	Fields Fields
}

// OfChild is an entry of children, as the controller of related objects.
type OfChild struct {
	// Object is an empty object of the kind of children, As the As of the entry
	// if the kind is listed several times.
	Object client.Object
	As     string
	// Through is an empty object of the kind that is controlled by the child and
	// controls the objects, such as the ReplicaSets of a Deployment; nil: there is none.
	Through client.Object
}

// Access says how an operator gets at related objects.
type Access string

// The ways to get at related objects, as package operator describes them.
const (
	AccessWatch Access = "watch"
	AccessGet   Access = "get"
)

// Selection selects related objects by their names, or else by their labels.
type Selection struct {
	// Names are the names of objects; nil selects by labels.
	Names []string
	// Selector selects by labels where there are no Names: an empty one selects
	// everything, nil nothing.
	Selector *metav1.LabelSelector
	// Namespaces are the namespaces to look in, [AllNamespaces] among them: every one; nil
	// is the parent's own, or every namespace for a cluster-scoped parent.
	Namespaces []string
}

// Event is a Kubernetes Event about the parent.
type Event struct {
	// Type is corev1.EventTypeNormal (the default) or corev1.EventTypeWarning.
	Type string
	// Reason is one word in upper camel case, for machines.
	Reason string
	// Message is a sentence for people; what exceeds 1,000 bytes is cut off.
	Message string
}
