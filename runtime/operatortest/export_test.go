package operatortest

import "time"

// RequireCounted is requireCounted.
var RequireCounted = requireCounted

// LetsGoWithin changes how long Finalize may take when the test has ended.
func (c *Cluster) LetsGoWithin(limit time.Duration) { c.operator.FinalizeLimit = limit }

// Before has do called before the nth request that matches.
func (c *Cluster) Before(verb, resource string, nth int, do func()) {
	c.operator.Faults.RunBefore(verb, resource, nth, do)
}
