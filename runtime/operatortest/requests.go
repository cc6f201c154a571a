package operatortest

import (
	"fmt"
	"slices"
	"time"
)

// Request is one request that the operator made.
type Request struct {
	Verb      string // create, patch, delete, get, …
	Resource  string // the plural, with its subresource: pods, echoservers/status
	Namespace string
	Name      string
	Code      int  // the HTTP status of the answer
	DryRun    bool // asked what would happen
}

// String is the request as a message names it: "patch pods web: 200".
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s: %d", r.Verb, r.Resource, r.Name, r.Code)
}

// Requests returns all requests that the operator has made since the test
// began, in the order in which they were answered: those of the API server's
// audit log, if OPGEN_AUDIT_LOG names it, or else those that its client has
// sent. It leaves out what costs the same however many parents there are:
// discovery, lists and watches, leases, and reviews of access.
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
		requests := c.audit.requests[operatorRunner{c}.userAgent()]
		if len(requests) >= c.sent.count() || time.Now().After(deadline) {
			return requests
		}
		time.Sleep(glance)
	}
}

// lateLog is how long the audit log may lack a request that is answered.
const lateLog = 2 * time.Second

// Sent returns the requests that the operator's client has sent since the test
// began, in the order in which they were answered; unlike those of the audit
// log, none of them is late. It leaves out what Requests leaves out.
func (c *Cluster) Sent() []Request { return c.sent.plainRequests() }

// Writes returns the requests that write: all but gets and dry runs.
func (c *Cluster) Writes() []Request {
	c.t.Helper()
	return slices.DeleteFunc(slices.Clone(c.Requests()), func(r Request) bool { return r.Verb == "get" || r.DryRun })
}
