package operator

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Definition describes one controller. Generated code fills it in; P is the
// parent's type, S its status type (struct{} when it has none), C and D are
// the generated Children and Desired structs, and R is the Related struct
// (struct{} when nothing is related). For parents of several kinds, P is
// client.Object.
type Definition[P client.Object, S, C, D, R any] struct {
	// Name is the controller's name, unique in the process: a lower-case
	// word such as "echoserver". With Group it names the field manager, so a
	// renamed controller no longer knows the fields it has set.
	Name string
	// Project is the name of the project, after which the Lease is named that elects
	// the leader. Controllers of one process have the same.
	Project string
	// Group is the API group under which the runtime's own keys live: the
	// finalizer <group>/finalizer, the label <group>/<name> of children, and
	// annotations.
	Group string
	// Parents are the kinds of parents: one, or several that one Sync serves.
	Parents []ParentKind
	// Schemes registers the parents' types, and those of other kinds that
	// client-go does not know.
	Schemes runtime.SchemeBuilder
	// Kinds lists the kinds of children, and for each the fields of the two
	// structs that hold them. Nil means that there are none.
	Kinds func(observed *C, desired *D) []ChildKind
	// Related lists what Sync reads in addition to the children, and for each entry
	// the field that holds it. Nil means nothing.
	Related func(related *R) []RelatedKind
	// Select says which objects the entries of Related that are Dynamic are,
	// in their order. Nil when no entry is.
	Select func(context.Context, P) ([][]Selection, error)
	// Patches returns the sets of patches of the entries of Related that have Patch, in
	// their order. Nil when no entry has.
	Patches func(desired *D) []Patches
	// Status returns the parent's status. Nil means that the runtime writes
	// no status, as for kinds that belong to others.
	Status func(P) *S
	// Conditions and ObservedGeneration return these fields of a status, which
	// the runtime writes whatever Sync returns; nil where the status has no such
	// field.
	Conditions         func(*S) *[]metav1.Condition
	ObservedGeneration func(*S) *int64
	// Teardown says how the children of a deleted parent go.
	Teardown Teardown
	// ParentMetadata allows Sync to set labels and annotations of the parent.
	ParentMetadata bool
	// Retries is how many reconciles in a row may fail before a parent is left
	// alone until something changes; 0 sets no limit.
	Retries int
	// Timeout is what one Sync, Finalize or Select may take; 0 means two minutes.
	// Their context ends then.
	Timeout time.Duration
	// Workers is how many parents the controller works on at once; 0 means as many as
	// [Options] say.
	Workers int
	// Metrics are gauges from the status of the parents.
	Metrics []Metric
	// ForbidPause and ForbidDisconnect take their effect from the annotations <group>/paused
	// and <group>/disconnect, by which whoever may write a parent suspends it.
	ForbidPause, ForbidDisconnect bool
	// TakeOverFrom are the field managers of an operator that this one replaces. What they own in
	// children becomes this controller's when it starts, so that Sync removes what it no longer
	// desires. That of an operator of this runtime, such as this one under an earlier name, is
	// opgen/<name>.<group>: its marks go, too.
	TakeOverFrom []string
	// Sync returns what the parent desires.
	Sync func(context.Context, *Request[P, C, R]) (*Response[D, S], error)
	// Finalize runs in place of Sync once the parent is being deleted, until
	// it returns Finalized. Nil means that nothing is to be done then.
	Finalize func(context.Context, *Request[P, C, R]) (*Response[D, S], error)
}

// ParentKind is one kind of parents: an empty Object of it (see [Unstructured]), and Labels and
// Annotations, which select the parents of the kind in kubectl's syntax ("app=web,!legacy"); empty
// selects all. A parent that is no longer selected is finalized and its children are pruned, as if
// it were deleted.
type ParentKind = declared.ParentKind

// Metric is a gauge that shows a field of the status of each parent: its Name, the Path of the field, such
// as .status.orders, and a Help text. Its labels are the namespace and the name of the parent.
type Metric = declared.Metric

// Teardown says how the children of a deleted parent go.
type Teardown string

// TeardownOrdered has the children go in the order that Finalize asks for by
// desiring fewer and fewer of them; without a Finalize, one kind after the other,
// the last first. They carry no owner reference then, since the garbage collector
// would delete them all at once. By default that is what it does.
const TeardownOrdered Teardown = "ordered"
