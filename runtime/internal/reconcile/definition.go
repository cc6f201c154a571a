package reconcile

import (
	"context"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// Definition describes a controller as operator.Definition does, which documents the fields.
// It has no type parameters: the Author hides the author's types.
type Definition struct {
	Name, Group    string
	Parents        []ParentKind
	Schemes        runtime.SchemeBuilder
	Children       []ChildKind
	Related        []RelatedKind
	IsOrdered      bool // the children of a deleted parent go in order
	ParentMetadata bool
	Retries        int
	Timeout        time.Duration
	Status         *status.Access // nil: the runtime writes no status
	// ForbidPause and ForbidDisconnect take their effect from annotations of users.
	ForbidPause, ForbidDisconnect bool
	Author                        Author
}

// Author is the author's code.
type Author struct {
	// Sync and Finalize return a call of the author's function with a request, which can be
	// made more than once. Finalize is nil if the author has none.
	Sync, Finalize func(Request) Call
	// Select returns the selections of each dynamic entry of related objects; nil if there
	// is no such entry.
	Select func(ctx context.Context, parent client.Object) ([][]Selection, error)
}

// Call is a call of the author's Sync or Finalize.
type Call func(context.Context) (*Response, error)

// Request is what the author's code gets.
type Request struct {
	Parent      client.Object // a private copy
	Children    []View        // by kind, in the order of the definition
	Related     []View        // by entry
	Refused     []Refusals    // by kind of children
	Now         time.Time
	IsObserving bool // the operator writes nothing
}

// View is what the author's code sees of the objects of one kind.
type View struct {
	Objects []client.Object // of the cache
	// Namespace is that of names without a namespace; [AnyNamespace]: a name needs one.
	Namespace string
	// Read is set when the author's code looks at the objects. Nil: nobody asks.
	Read     *atomic.Bool
	IsServed bool // the API server serves the kind
}

// Refusals are the errors of children whose last write was refused, by their names.
type Refusals map[types.NamespacedName]error

// Response is what the author's code returns.
type Response struct {
	Children            []DesiredSet // by kind; nil: the children stay as they are
	Status              any          // a pointer to a status; nil: the author's part stays
	Conditions          []metav1.Condition
	Labels, Annotations map[string]string
	Events              []Event
	RequeueAfter        time.Duration
	Finalized           bool
	Original            any              // the response in the author's types
	ConvertAgain        func() *Response // converts Original after it has changed; without children
}

// DesiredSet holds the desired children of one kind.
type DesiredSet struct {
	Children []DesiredChild
	Keep     []string // names of children that stay as they are
}

// DesiredChild is a desired child: an object or an apply configuration. Policies that are
// not empty override those of the kind.
type DesiredChild struct {
	Object        client.Object
	Configuration runtime.ApplyConfiguration
	Update        UpdateStrategy
	Adopt         apply.Adoption
	WhenRemoved   DeletionPolicy // overrides WhenDropped and WhenDeleted
	WhenImmutable apply.ImmutablePolicy
	After         []client.Object // desired children that must be ready before
	Replaces      []client.Object // undesired children that have to be gone before
	Recreate      bool            // the child that exists is deleted and created again
	WhenApplied   []func(original any) error
}

// Event is a Kubernetes Event about the parent.
type Event struct{ Type, Reason, Message string }

// ParentKind is one kind of parents. Labels and Annotations are selectors.
type ParentKind struct {
	Object              client.Object
	Labels, Annotations string
}

// ChildKind is one kind of children.
type ChildKind struct {
	Object                   client.Object
	Update                   UpdateStrategy
	Adopt                    apply.Adoption
	WhenDropped, WhenDeleted DeletionPolicy
	WhenImmutable            apply.ImmutablePolicy
	ReadyWhen                ReadyRule
	Metadata                 bool     // the cache keeps only the metadata
	PruneOnly                bool     // children are only pruned
	Optional                 bool     // the API server may not serve the kind; so it is with PruneOnly
	Namespaces               []string // that children may lie in; see operator.ChildKind
	ForbidDisconnect         bool     // children stay their parent's when a user disconnects it
}

// ReadyRule reports whether a child is ready, in place of the rules for its kind. An error
// is a reason why it is not. Nil: those rules.
type ReadyRule = func(client.Object) (bool, error)

// RelatedKind is an entry of what Sync reads and never owns.
type RelatedKind struct {
	Object                 client.Object
	Name, NameFrom         string
	Selector, SelectorFrom string
	Namespaces             []string
	NamespacesFrom         string
	Dynamic                bool
	Metadata               bool
	IsReadLive             bool // in each reconcile, and not watched
	Optional               bool // the API server may not serve the kind
}

// Selection selects related objects by their names, or else by their labels.
type Selection struct {
	Names      []string
	Selector   *metav1.LabelSelector
	Namespaces []string
}

// UpdateStrategy says how a changed desired state reaches an existing child. A rolling
// strategy is one of package apply for a child whose turn it is.
type UpdateStrategy string

// The strategies that package apply does not know.
const (
	rollingInPlace  UpdateStrategy = "RollingInPlace"
	rollingRecreate UpdateStrategy = "RollingRecreate"
)

func (u UpdateStrategy) isRolling() bool { return u == rollingInPlace || u == rollingRecreate }

// ofApply returns the strategy for a child whose turn it is.
func (u UpdateStrategy) ofApply() apply.Strategy {
	switch u {
	case rollingInPlace:
		return apply.InPlace
	case rollingRecreate:
		return apply.Recreate
	}
	return apply.Strategy(u)
}

// DeletionPolicy says what happens to a child that is undesired, or whose parent is deleted.
type DeletionPolicy string

// The deletion policies.
const (
	deleteChild DeletionPolicy = "Delete"
	orphanChild DeletionPolicy = "Orphan"
)
