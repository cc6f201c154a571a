package instance

import (
	"errors"
	"time"
)

const (
	// Soon is the time within which a settled operator has no reconcile due. It may have later
	// ones.
	Soon = 2 * time.Second

	// Glance is the shortest interval between two checks of the operator's state, which are cheap.
	Glance = 2 * time.Millisecond

	// flaps is how often an operator may write one object before it settles.
	flaps = 20
)

// AwaitSettled waits until the operator has nothing to do within a time, and has seen what it and the test have written.
func (o *Operator) AwaitSettled(within time.Duration) {
	o.T.Helper()
	if o.RunningProcess() == nil || o.isRunElsewhere() {
		o.awaitSilence(within)
		return
	}
	from, reason := o.Sent.Count(), ""
	isSettled := o.changes.poll(time.Now().Add(SettleLimit()), Glance, 10*Glance, func() bool {
		if reason = o.DescribeUnsettled(within); reason == "" {
			return true
		}
		if ended := o.ExitError(); ended != nil {
			o.T.Fatalf("waiting until the operator is settled: the operator ended: %v", ended)
		}
		return o.isFlapping(from)
	})
	if !isSettled || reason != "" {
		o.T.Fatalf("the operator does not settle: %s\n%s%s", reason, o.DescribeRequests(from), o.DescribeSituation())
	}
}

// isRunElsewhere reports whether the operator has started and has no controllers, because the test
// runs them elsewhere.
func (o *Operator) isRunElsewhere() bool {
	control := o.RunningProcess().Control
	return control.Started() && len(control.Loops()) == 0
}

// DescribeUnsettled returns why the operator is not settled. It is empty if it is settled. The
// watches show what happened before they were compared; reconciles show what happened since.
func (o *Operator) DescribeUnsettled(within time.Duration) string {
	o.T.Helper()
	running := o.RunningProcess()
	if reason := o.DescribeBusy(within); reason != "" {
		return reason
	}
	begun := o.CountBegun()
	if reason := o.DescribeUnseen(); reason != "" {
		return reason
	}
	if o.CountBegun() != begun {
		return "reconciles go on"
	}
	if o.RunningProcess() != running {
		return "it has crashed"
	}
	return o.DescribeBusy(within)
}

// IsSettled reports whether the operator has nothing to do, and has seen the live state. It waits a
// moment for its caches.
func (o *Operator) IsSettled() bool {
	begun := o.CountBegun()
	if o.DescribeUnsettled(0) != "" {
		return false
	}
	live, err := o.readWatched()
	if err != nil {
		return false
	}
	for deadline := time.Now().Add(time.Second); describeStaleCache(live) != "" && o.CountBegun() == begun; time.Sleep(Glance) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return o.CountBegun() == begun && o.DescribeBusy(0) == ""
}

// DescribeBusy returns what the operator does, or will do within a time. It is empty if there is
// nothing.
func (o *Operator) DescribeBusy(within time.Duration) string {
	running := o.RunningProcess()
	control := running.Control
	if !control.Started() {
		return "it has not started"
	}
	recorded := running.events // of operators before this one
	for _, loop := range control.Loops() {
		if reason := loop.Busy(within); reason != "" {
			return "controller " + loop.Controller + " " + reason
		}
		recorded += loop.Events()
	}
	switch waiting, events := o.Sent.PendingAndEvents(); {
	case !control.OpenWatches():
		return "a watch of related objects is being opened"
	case waiting > 0:
		return "it waits for the answer to a request"
	case events < recorded:
		return "an Event is on its way"
	}
	return ""
}

// CountBegun returns how many reconciles have begun.
func (o *Operator) CountBegun() (count int) {
	for _, loop := range o.RunningProcess().Control.Loops() {
		count += loop.Begun()
	}
	return count
}

// awaitSilence waits until an operator outside of this process has made no request for some time.
func (o *Operator) awaitSilence(quiet time.Duration) {
	o.T.Helper()
	made, since := -1, time.Now()
	o.Eventually("the operator is silent", func() error {
		if now := o.Sent.Count() + o.countAudited(); now != made {
			made, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return errors.New("it makes requests")
		}
		return nil
	})
}

// countAudited returns the number of requests in the audit log. It is zero if there is no log.
func (o *Operator) countAudited() int {
	o.T.Helper()
	if o.audit == nil {
		return 0
	}
	return len(o.Requests())
}

// isFlapping reports whether one object was written too often.
func (o *Operator) isFlapping(from int) bool {
	writes := map[string]int{}
	for _, e := range o.Sent.Since(from) {
		if e.Object == nil || e.Code >= 300 {
			continue
		}
		if writes[e.Key()]++; writes[e.Key()] > flaps {
			return true
		}
	}
	return false
}
