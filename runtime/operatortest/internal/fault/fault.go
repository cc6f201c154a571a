package fault

// Fault is an error at one request of the operator. It prints as one line, which [Parse] reads
// and which is a good name for a subtest, such as "patch deployments 2 after lost".
type Fault struct {
	// Verb is the verb of the request: create, update, patch, delete, get, list or watch. Empty:
	// any that writes; it prints as "write".
	Verb string
	// Resource is the plural, with its subresource: deployments, sites/status. Empty: any; it
	// prints as "any". Requests about Events, leases and access reviews count only if it names
	// them.
	Resource string
	// Nth is the number of the matching request, counted from 1 at its injection. Dry runs do
	// not count.
	Nth int
	// When is the moment of the fault.
	When When
	// What is the kind of the fault.
	What What
	// Once limits a refusal to the nth request. By default it lasts until faults are cleared,
	// and applies to dry runs, too.
	Once bool
}

// When is the moment of a fault at its request.
type When string

// The moments at a request.
const (
	// Before is before the request is sent. If the fault loses the request or ends the operator,
	// the API server does not receive it.
	Before When = "before"
	// After is when the API server has executed the request, and the operator has no answer yet.
	After When = "after"
	// Instead refuses the request and does not execute it.
	Instead When = "instead"
)

// What is a kind of fault.
type What string

// Refusals are answers of the API server. Instead of the request, nothing is
// done; after it, it is done all the same.
const (
	RefuseForbidden       What = "403"
	RefuseNotFound        What = "404"
	RefuseConflict        What = "409"
	RefuseInvalid         What = "422"       // without a field, as by an admission policy
	RefuseInvalidField    What = "422-field" // with a cause that names the field spec
	RefuseTooManyRequests What = "429"       // with Retry-After: 1
	RefuseInternalError   What = "500"
	RefuseUnavailable     What = "503"
)

// These faults are of the network and of the operator's process. They happen
// before or after the request, and once.
const (
	// Lose breaks the connection. Before: the request is lost. After: its answer is lost.
	Lose What = "lost"
	// TimeOut makes the request hang for a second and fail.
	TimeOut What = "timeout"
	// CutWatches ends every watch, so that each has to start again.
	CutWatches What = "cut"
	// DelayWatches delays the events of watches: of parents for 300 ms from then on, of everything
	// else for 600 ms.
	DelayWatches What = "late"
	// Crash ends the operator as the loss of its node would.
	Crash What = "crash"
	// TimeTravel is a crash after which the next operator starts with caches that are older than
	// the last writes: those of the moment when the fault was injected, or
	// that a test has marked. Its watches are late.
	TimeTravel What = "travel"
)

// refusals maps each kind of refusal to its status.
var refusals = map[What]int{
	RefuseForbidden: 403, RefuseNotFound: 404, RefuseConflict: 409, RefuseInvalid: 422,
	RefuseInvalidField: 422, RefuseTooManyRequests: 429, RefuseInternalError: 500, RefuseUnavailable: 503,
}

// isRefusal reports whether a fault is an answer of the API server.
func (w What) isRefusal() bool { return refusals[w] != 0 }

// endsProcess reports whether the fault ends the operator.
func (w What) endsProcess() bool { return w == Crash || w == TimeTravel }
