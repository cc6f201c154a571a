package operatortest

import (
	"slices"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// Request is one request of the operator: its Verb (create, patch, delete, get, …), the Resource in
// the plural with its subresource (pods, echoservers/status), the Namespace and the Name of the
// object, the Code of the answer, and DryRun if the API server only validated it.
type Request = requests.Request

// Requests returns all requests of the operator since the test began, in the order of their
// answers. It reads them from the API server's audit log if OPGEN_AUDIT_LOG names it, and otherwise
// takes those that the operator's client has sent. It leaves out requests whose number does not
// depend on the parents: discovery, lists and watches, leases, and access reviews.
func (c *Cluster) Requests() []Request {
	c.t.Helper()
	return c.operator.Requests()
}

// Sent returns the requests that the operator's client has sent since the test began, in the order
// of their answers. It is never late, as the audit log may be. It leaves out the same requests as
// Requests.
func (c *Cluster) Sent() []Request { return c.operator.Sent.Requests() }

// Writes returns the requests that write: all but gets and dry runs.
func (c *Cluster) Writes() []Request {
	c.t.Helper()
	return slices.DeleteFunc(slices.Clone(c.Requests()), func(r Request) bool { return r.Verb == "get" || r.DryRun })
}
