package declared

import (
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// ParentKind is one kind of parents.
type ParentKind struct {
	// Object is an empty object of the kind; see operator.Unstructured.
	Object client.Object
	// Labels and Annotations select the parents of the kind, in kubectl's
	// syntax ("app=web,!legacy"); empty selects all. A parent that is no longer
	// selected is finalized and its children are pruned, as if it were deleted.
	Labels, Annotations string
}

// ChildKind is one kind of children.
type ChildKind struct {
	// Object is an empty object of the kind; see operator.Unstructured.
	Object client.Object
	// As tells the entries apart that list the same kind, each with a set, policies and rules of its
	// own. Children carry it as the label <group>/listed-as. Empty: the kind is listed once.
	As string
	// Policies are those of children that have no others of their own.
	Policies
	// MaxUnavailable is how many of the children a rolling update lets be down at a time; empty: one.
	MaxUnavailable MaxUnavailable
	// Evict has a Pod that is recreated be evicted, so that a PodDisruptionBudget can refuse it.
	Evict bool
	// HandOver are the paths of fields that children keep when Sync leaves them out, such as
	// .spec.replicas: they are then owned by others.
	HandOver []string
	// InPlace are the paths of labels and annotations that are applied in place and at once, such as
	// .metadata.labels, whatever the strategy does with the rest of a child.
	InPlace []string
	health.Rules
	// History is how many children that have finished stay when Sync no longer desires them. Those that
	// have not finished stay, too. Nil: all are pruned.
	History *History
	// NotPartOfReady lets the parent be ready whether the children are or not.
	NotPartOfReady bool
	// KeepDesired keeps what is desired of each child in an annotation, for Snapshot.Desired.
	KeepDesired bool
	// Metadata keeps only the metadata of these children in memory. Their
	// snapshot holds metav1.PartialObjectMetadata; see operator.BindMetadata.
	Metadata bool
	// PruneOnly marks a kind that Sync no longer returns: its children are only
	// pruned. It has no Fields.
	PruneOnly bool
	// Optional lets the CRD of the kind be absent, come and go. Snapshot.Served says
	// whether it is there. Until then, a desired child waits, which is no error.
	Optional bool
	// Namespaces are those that children of a namespaced parent may be in, in addition to
	// its own, and the only ones for children of a cluster-scoped parent;
	// [AllNamespaces] among them: every one. Empty: the parent's alone, and every one
	// for a cluster-scoped parent.
	Namespaces []string
	// ForbidDisconnect keeps the children the parent's when a user disconnects it.
	ForbidDisconnect bool
	// Fields are the fields that hold this kind; see operator.Bind.
	Fields Fields
}

// MayBeUnserved reports whether the operator works although the API server does not serve the kind.
func (k ChildKind) MayBeUnserved() bool { return k.Optional || k.PruneOnly }

// ListsNamespaces reports whether the kind names each of its namespaces.
func (k ChildKind) ListsNamespaces() bool {
	return len(k.Namespaces) > 0 && !slices.Contains(k.Namespaces, AllNamespaces)
}

// History is how many children that have finished are kept: the latest of those that are ready, such as
// a Job that is complete, and the latest of the others. Zero keeps none.
type History struct {
	Succeeded, Failed int
}

// AllNamespaces stands for every namespace in a list of namespaces, and in a [View].
const AllNamespaces = "*"

// Fields ties a kind of children, or of related objects, to the fields of the generated structs.
type Fields struct {
	// Observe fills the snapshot of the kind before Sync.
	Observe func(View)
	// ObserveRefused tells the snapshot of children which writes were refused.
	ObserveRefused func(Refusals)
	// Desired is what Sync adds children to; nil for related objects.
	Desired *DesiredSet
}

// View is what the author's code sees of the objects of one kind.
type View struct {
	Objects []client.Object // of the cache
	// Namespace is that of names without a namespace; [AllNamespaces]: a name needs one.
	Namespace string
	// Read is set when the author's code looks at the objects. Nil: nobody asks.
	Read     *atomic.Bool
	IsServed bool // the API server serves the kind
	// GeneratedTokens returns the tokens that the values of a Secret were generated for, by their
	// keys, as the operator has written them. Nil: the values of a test were all generated.
	GeneratedTokens func(client.Object) map[string]string
	Rules           health.Rules // by which the objects are ready
	// Outdated are the names of children that Sync last desired otherwise than they were made.
	// OutdatedRead is set when the author's code asks for them. Nil: nobody asks.
	Outdated     map[types.NamespacedName]bool
	OutdatedRead *atomic.Bool
	// NameConflicts are the names that objects have which are not the parent's, of those that Sync last
	// asked for. AskNameConflict is called with each name that the author's code asks for. Nil: nobody
	// asks.
	NameConflicts   map[types.NamespacedName]bool
	AskNameConflict func(types.NamespacedName)
	// Desired is what was desired of each child when it was last written, as JSON. A child of which that
	// is not known has none. Nil: the kind does not keep it.
	Desired map[types.NamespacedName]string
}

// Refusals are the errors of children whose last write was refused, by their names.
type Refusals map[types.NamespacedName]error
