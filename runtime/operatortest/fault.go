package operatortest

// Fault is something that goes wrong at one request of the operator. It is data:
// it prints as one line, which [ParseFault] reads and which makes a good name for
// a subtest, such as "patch deployments 2 after lost". [Cluster.Inject] sets it
// up.
type Fault struct {
	// Verb is that of the request: create, update, patch, delete, get, list or
	// watch. Empty means any that writes, and prints as "write".
	Verb string
	// Resource is the plural, with its subresource: deployments, sites/status.
	// Empty means any, and prints as "any"; requests about Events, leases and
	// reviews of access count only if it names them.
	Resource string
	// Nth tells which of the matching requests it is, counted from 1 at
	// [Cluster.Inject]. Dry runs do not count.
	Nth int
	// When is the moment at that request.
	When When
	// What goes wrong.
	What What
	// Once limits a refusal to the nth request. By default it holds from then on
	// until [Cluster.ClearFaults], for dry runs too.
	Once bool
}

// When is the moment at a request when something goes wrong.
type When string

// The moments at a request.
const (
	// Before is before the request is sent. What loses the request or ends the
	// operator leaves it undone.
	Before When = "before"
	// After is when the API server has done what was asked, and the operator does
	// not know yet.
	After When = "after"
	// Instead is in place of the request: a refusal, with nothing done.
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
	RefuseInvalid         What = "422"       // without a field, as an admission policy does it
	RefuseInvalidField    What = "422-field" // with a cause that names the field spec
	RefuseTooManyRequests What = "429"       // with Retry-After: 1
	RefuseInternalError   What = "500"
	RefuseUnavailable     What = "503"
)

// These faults are of the network and of the operator's process. They happen
// before or after the request, and once.
const (
	// Lose breaks the connection: before it arrives, the request is not done;
	// after it is done, the answer is lost.
	Lose What = "lost"
	// TimeOut lets the request hang for a second, and fail.
	TimeOut What = "timeout"
	// CutWatches ends every watch, so that each has to begin again.
	CutWatches What = "cut"
	// DelayWatches delays what watches show: of parents for 300 ms from then on,
	// of everything else for 600 ms.
	DelayWatches What = "late"
	// Crash is what [Cluster.Crash] does.
	Crash What = "crash"
	// TimeTravel is a crash after which the next operator begins with caches that
	// are older than what its predecessor has written: those of the moment when
	// the fault was injected, or of [Cluster.MarkPast]. Its watches are late.
	TimeTravel What = "travel"
)

// refusals maps each kind of refusal to its status.
var refusals = map[What]int{
	RefuseForbidden: 403, RefuseNotFound: 404, RefuseConflict: 409, RefuseInvalid: 422,
	RefuseInvalidField: 422, RefuseTooManyRequests: 429, RefuseInternalError: 500, RefuseUnavailable: 503,
}

// isRefusal reports whether a fault is an answer of the API server.
func (w What) isRefusal() bool { return refusals[w] != 0 }

// endsProcess reports whether the operator is dead after it.
func (w What) endsProcess() bool { return w == Crash || w == TimeTravel }
