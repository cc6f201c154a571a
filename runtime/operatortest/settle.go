package operatortest

import (
	"errors"
	"time"
)

const (
	// soon is the time within which a settled operator has no reconcile due. It may have later
	// ones.
	soon = 2 * time.Second

	// glance is the interval between two checks of the operator's state, which are cheap.
	glance = 2 * time.Millisecond

	// flaps is how often an operator may write one object before it settles.
	flaps = 20
)

// Settled waits until the operator has nothing left to do: its caches show each object as the API
// server has it, all reconciles that this caused have ended, none is due within two seconds, and no
// request is pending. It returns how many requests the operator has made. An operator that keeps
// writing fails the test, with its writes.
//
// It does not wait for the cluster's own controllers, which for instance create the Pods of a
// Deployment: use [Cluster.Matches] or [Cluster.Eventually]. An operator that the test itself runs,
// in another process or by operator.Run, counts as settled when its user agent has made no request
// for two seconds.
func (c *Cluster) Settled() int {
	c.t.Helper()
	settler{c}.awaitSettled(soon)
	return len(c.Requests())
}

// settling waits until the operator has settled.
type settler struct{ *Cluster }

// awaitSettled waits until the operator has nothing to do within a time.
func (c settler) awaitSettled(within time.Duration) {
	c.t.Helper()
	if operatorRunner(c).runningProcess() == nil || c.isRunElsewhere() {
		c.awaitSilence(within)
		return
	}
	from, deadline := c.sent.count(), time.Now().Add(patience)
	for {
		reason := c.describeUnsettled(within)
		if reason == "" {
			return
		}
		if ended := operatorRunner(c).exitError(); ended != nil {
			c.t.Fatalf("waiting until the operator is settled: the operator ended: %v", ended)
		}
		if c.isFlapping(from) || time.Now().After(deadline) {
			c.t.Fatalf("the operator does not settle: %s\n%s", reason, requestReport(c).describeRequests(from))
		}
		time.Sleep(glance)
	}
}

// isRunElsewhere reports whether the operator has started and has no controllers, because the test
// runs them elsewhere.
func (c settler) isRunElsewhere() bool {
	control := operatorRunner(c).runningProcess().control
	return control.Started() && len(control.Loops()) == 0
}

// describeUnsettled returns why the operator is not settled. It is empty if it is settled. The
// caches show what happened before they were compared; reconciles show what happened since.
func (c settler) describeUnsettled(within time.Duration) string {
	c.t.Helper()
	running := operatorRunner(c).runningProcess()
	if reason := c.describeBusy(within); reason != "" {
		return reason
	}
	begun := c.countBegun()
	live := liveReader(c).readWatched()
	for reason := describeStaleCache(live); reason != ""; reason = describeStaleCache(live) {
		if c.countBegun() != begun || operatorRunner(c).exitError() != nil {
			return reason
		}
		time.Sleep(glance)
	}
	if c.countBegun() != begun {
		return "reconciles go on"
	}
	if operatorRunner(c).runningProcess() != running {
		return "it has crashed"
	}
	return c.describeBusy(within)
}

// describeBusy returns what the operator does, or will do within a time. It is empty if there is
// nothing.
func (c settler) describeBusy(within time.Duration) string {
	running := operatorRunner(c).runningProcess()
	control := running.control
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
	switch waiting, events := c.sent.underWay(); {
	case waiting > 0:
		return "it waits for the answer to a request"
	case events < recorded:
		return "an Event is on its way"
	}
	return ""
}

// countBegun returns how many reconciles have begun.
func (c settler) countBegun() (count int) {
	for _, loop := range operatorRunner(c).runningProcess().control.Loops() {
		count += loop.Begun()
	}
	return count
}

// awaitSilence waits until an operator outside of this process has made no request for some time.
func (c settler) awaitSilence(quiet time.Duration) {
	c.t.Helper()
	made, since := -1, time.Now()
	c.Eventually("the operator is silent", func() error {
		if now := c.sent.count() + c.countAudited(); now != made {
			made, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return errors.New("it makes requests")
		}
		return nil
	})
}

// countAudited returns the number of requests in the audit log. It is zero if there is no log.
func (c settler) countAudited() int {
	c.t.Helper()
	if c.audit == nil {
		return 0
	}
	return len(c.Requests())
}

// isFlapping reports whether one object was written too often.
func (c settler) isFlapping(from int) bool {
	writes := map[string]int{}
	for _, e := range c.sent.since(from) {
		if e.object == nil || e.Code >= 300 {
			continue
		}
		if writes[e.key()]++; writes[e.key()] > flaps {
			return true
		}
	}
	return false
}
