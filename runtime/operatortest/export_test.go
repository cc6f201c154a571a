package operatortest

import "time"

// LetsGoWithin changes how long Finalize may take when the test has ended.
func (c *Cluster) LetsGoWithin(limit time.Duration) { c.letsGo = limit }
