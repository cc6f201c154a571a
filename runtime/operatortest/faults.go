package operatortest

import (
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
)

// Fault is an error at one request of the operator. It prints as one line, which [ParseFault] reads
// and which is a good name for a subtest, such as "patch deployments 2 after lost".
// [Cluster.Inject] injects it.
//
// Its fields are Verb (create, update, patch, delete, get, list or watch; empty: any that writes,
// which prints as "write"), Resource (the plural with its subresource, such as deployments or
// sites/status; empty: any, which prints as "any"), Nth (the number of the matching request, counted
// from 1 at [Cluster.Inject]), [When] and [What], and Once, which limits a refusal to the nth
// request. By default a refusal lasts until [Cluster.ClearFaults] and applies to dry runs, too, which
// are not counted. Requests about Events, leases and access reviews count only if Resource names
// them.
type Fault = fault.Fault

// ParseFault reads the line of a fault. The error says which part is wrong.
func ParseFault(line string) (Fault, error) { return fault.Parse(line) }

// When is the moment of a fault at its request.
type When = fault.When

// The moments at a request.
const (
	// Before is before the request is sent. If the fault loses the request or ends the operator,
	// the API server does not receive it.
	Before = fault.Before
	// After is when the API server has executed the request, and the operator has no answer yet.
	After = fault.After
	// Instead refuses the request and does not execute it.
	Instead = fault.Instead
)

// What is a kind of fault.
type What = fault.What

// Refusals are answers of the API server. Instead of the request, nothing is
// done; after it, it is done all the same.
const (
	RefuseForbidden       = fault.RefuseForbidden
	RefuseNotFound        = fault.RefuseNotFound
	RefuseConflict        = fault.RefuseConflict
	RefuseInvalid         = fault.RefuseInvalid         // without a field, as by an admission policy
	RefuseInvalidField    = fault.RefuseInvalidField    // with a cause that names the field spec
	RefuseTooManyRequests = fault.RefuseTooManyRequests // with Retry-After: 1
	RefuseInternalError   = fault.RefuseInternalError
	RefuseUnavailable     = fault.RefuseUnavailable
)

// These faults are of the network and of the operator's process. They happen
// before or after the request, and once.
const (
	// Lose breaks the connection. Before: the request is lost. After: its answer is lost.
	Lose = fault.Lose
	// TimeOut makes the request hang for a second and fail.
	TimeOut = fault.TimeOut
	// CutWatches ends every watch, so that each has to start again.
	CutWatches = fault.CutWatches
	// DelayWatches delays the events of watches: of parents for 300 ms from then on, of everything
	// else for 600 ms.
	DelayWatches = fault.DelayWatches
	// Crash is [Cluster.Crash].
	Crash = fault.Crash
	// TimeTravel is a crash after which the next operator starts with caches that are older than
	// the last writes: those of the moment when the fault was injected, or of
	// [Cluster.MarkPast]. Its watches are late.
	TimeTravel = fault.TimeTravel
)

// Inject injects faults into the requests that the operator makes from now on, also after restarts.
// Each fault counts its own requests. Several faults may apply to one request. This is how watches
// are late when an answer is lost:
//
//	cluster.Inject(
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.Before, What: operatortest.DelayWatches},
//		operatortest.Fault{Verb: "patch", Nth: 2, When: operatortest.After, What: operatortest.Lose},
//	)
//
// Use Config.Faults for faults while the operator starts. A test that fails prints its faults, and
// how to run it again. Faults end with the test, before the harness deletes the test's objects.
func (c *Cluster) Inject(faults ...Fault) {
	c.t.Helper()
	c.operator.Inject(faults...)
}

// ClearFaults removes every fault.
func (c *Cluster) ClearFaults() { c.operator.Faults.RemoveFaults() }

// Struck returns how many requests a fault has affected, also after [Cluster.ClearFaults].
func (c *Cluster) Struck(fault Fault) (times int) { return c.operator.Faults.Struck(fault) }

// MarkPast makes this moment the one that the caches of an operator start with after [TimeTravel].
// Without it, that is the moment of the last Inject. The API server keeps the past for some
// minutes.
func (c *Cluster) MarkPast() {
	c.t.Helper()
	c.operator.MarkPast()
}

// Crash ends the operator as the loss of its node would: its requests fail from now on, nothing
// that it has begun is finished, and it does not release its lease. Then another operator starts,
// with empty memory. A call of Sync that does not return in time still runs in the test's process
// then.
func (c *Cluster) Crash() {
	c.t.Helper()
	c.operator.Crash()
}
