package declared

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Author is the author's code. It has no type parameters: package operator hides the author's types.
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

// Response is what the author's code returns.
type Response struct {
	Children            []DesiredSet    // by kind; nil: the children stay as they are
	KeepAll             bool            // the children and patches that are not desired stay as they are
	Patches             []PatchSet      // of the entries with Patch, in their order; nil: the patches stay as they are
	Delete              []client.Object // related objects to delete
	Status              any             // a pointer to a status; nil: the author's part stays
	Conditions          []metav1.Condition
	Labels, Annotations map[string]string
	Events              []Event
	RequeueAfter        time.Duration
	Finalized           bool
	Original            any              // the response in the author's types
	ConvertAgain        func() *Response // converts Original after it has changed; without children
}
