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
	awaitSettled(c, soon)
	return len(c.Requests())
}

// awaitSettled waits until the operator has nothing to do within a time.
func awaitSettled(c *Cluster, within time.Duration) {
	c.t.Helper()
	if runningProcess(c) == nil || isRunElsewhere(c) {
		awaitSilence(c, within)
		return
	}
	from, deadline := c.sent.count(), time.Now().Add(patience)
	for {
		reason := describeUnsettled(c, within)
		if reason == "" {
			return
		}
		if ended := exitError(c); ended != nil {
			c.t.Fatalf("waiting until the operator is settled: the operator ended: %v", ended)
		}
		if isFlapping(c, from) || time.Now().After(deadline) {
			c.t.Fatalf("the operator does not settle: %s\n%s", reason, describeRequests(c, from))
		}
		time.Sleep(glance)
	}
}

// isRunElsewhere reports whether the operator has started and has no controllers, because the test
// runs them elsewhere.
func isRunElsewhere(c *Cluster) bool {
	control := runningProcess(c).control
	return control.Started() && len(control.Loops()) == 0
}

// describeUnsettled returns why the operator is not settled. It is empty if it is settled. The
// caches show what happened before they were compared; reconciles show what happened since.
func describeUnsettled(c *Cluster, within time.Duration) string {
	c.t.Helper()
	running := runningProcess(c)
	if reason := describeBusy(c, within); reason != "" {
		return reason
	}
	begun := countBegun(c)
	live := readWatched(c)
	for reason := describeStaleCache(live); reason != ""; reason = describeStaleCache(live) {
		if countBegun(c) != begun || exitError(c) != nil {
			return reason
		}
		time.Sleep(glance)
	}
	if countBegun(c) != begun {
		return "reconciles go on"
	}
	if runningProcess(c) != running {
		return "it has crashed"
	}
	return describeBusy(c, within)
}

// describeBusy returns what the operator does, or will do within a time. It is empty if there is
// nothing.
func describeBusy(c *Cluster, within time.Duration) string {
	running := runningProcess(c)
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
	switch waiting, events := c.sent.pendingAndEvents(); {
	case waiting > 0:
		return "it waits for the answer to a request"
	case events < recorded:
		return "an Event is on its way"
	}
	return ""
}

// countBegun returns how many reconciles have begun.
func countBegun(c *Cluster) (count int) {
	for _, loop := range runningProcess(c).control.Loops() {
		count += loop.Begun()
	}
	return count
}

// awaitSilence waits until an operator outside of this process has made no request for some time.
func awaitSilence(c *Cluster, quiet time.Duration) {
	c.t.Helper()
	made, since := -1, time.Now()
	c.Eventually("the operator is silent", func() error {
		if now := c.sent.count() + countAudited(c); now != made {
			made, since = now, time.Now()
		}
		if time.Since(since) < quiet {
			return errors.New("it makes requests")
		}
		return nil
	})
}

// countAudited returns the number of requests in the audit log. It is zero if there is no log.
func countAudited(c *Cluster) int {
	c.t.Helper()
	if c.audit == nil {
		return 0
	}
	return len(c.Requests())
}

// isFlapping reports whether one object was written too often.
func isFlapping(c *Cluster, from int) bool {
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
