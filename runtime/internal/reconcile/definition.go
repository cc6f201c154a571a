package reconcile

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/status"
)

// Definition describes a controller as operator.Definition does, which documents the fields.
// It has no type parameters: the Author hides the author's types.
type Definition struct {
	Name, Group    string
	Parents        []declared.ParentKind
	Schemes        runtime.SchemeBuilder
	Children       []declared.ChildKind
	Related        []declared.RelatedKind
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
	Select func(ctx context.Context, parent client.Object) ([][]declared.Selection, error)
}

// Call is a call of the author's Sync or Finalize.
type Call func(context.Context) (*Response, error)

// Request is what the author's code gets.
type Request struct {
	Parent      client.Object       // a private copy
	Children    []declared.View     // by kind, in the order of the definition
	Related     []declared.View     // by entry
	Refused     []declared.Refusals // by kind of children
	Now         time.Time
	IsObserving bool // the operator writes nothing
}

// Response is what the author's code returns.
type Response struct {
	Children            []declared.DesiredSet // by kind; nil: the children stay as they are
	Status              any                   // a pointer to a status; nil: the author's part stays
	Conditions          []metav1.Condition
	Labels, Annotations map[string]string
	Events              []declared.Event
	RequeueAfter        time.Duration
	Finalized           bool
	Original            any              // the response in the author's types
	ConvertAgain        func() *Response // converts Original after it has changed; without children
}
