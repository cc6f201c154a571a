package requests

import (
	"fmt"
)

// Request is one request of the operator.
type Request struct {
	Verb      string // create, patch, delete, get, …
	Resource  string // the plural, with its subresource: pods, echoservers/status
	Namespace string
	Name      string
	Code      int  // the HTTP status of the answer
	DryRun    bool // the API server only validated it
}

// String returns the request as messages name it, such as "patch pods web: 200".
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s: %d", r.Verb, r.Resource, r.Name, r.Code)
}
