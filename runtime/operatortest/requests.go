package operatortest

import (
	"fmt"
	"slices"
	"time"
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

// Requests returns all requests of the operator since the test began, in the order of their
// answers. It reads them from the API server's audit log if OPGEN_AUDIT_LOG names it, and otherwise
// takes those that the operator's client has sent. It leaves out requests whose number does not
// depend on the parents: discovery, lists and watches, leases, and access reviews.
func (c *Cluster) Requests() []Request {
	c.t.Helper()
	if c.audit == nil {
		return c.sent.plainRequests()
	}
	deadline := time.Now().Add(lateLog)
	for {
		if err := c.audit.readNew(); err != nil {
			c.t.Fatal(err)
		}
		requests := c.audit.requests[userAgent(c)]
		if len(requests) >= c.sent.count() || time.Now().After(deadline) {
			return requests
		}
		time.Sleep(glance)
	}
}

// lateLog is how long the audit log may lack an answered request.
const lateLog = 2 * time.Second

// Sent returns the requests that the operator's client has sent since the test began, in the order
// of their answers. It is never late, as the audit log may be. It leaves out the same requests as
// Requests.
func (c *Cluster) Sent() []Request { return c.sent.plainRequests() }

// Writes returns the requests that write: all but gets and dry runs.
func (c *Cluster) Writes() []Request {
	c.t.Helper()
	return slices.DeleteFunc(slices.Clone(c.Requests()), func(r Request) bool { return r.Verb == "get" || r.DryRun })
}
