package operatortest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// WritesAtMost watches the operator for some time, without doing anything else, and
// fails the test as soon as it has written more than limit times to any one object,
// Events left out. A write that the API server refuses counts. It is for a parent that
// cannot converge: a child that is refused, a field that somebody keeps changing, a Sync
// that answers differently each time. [Cluster.Converged] is for those that can, and
// allows no write at all.
//
// An operator that backs off writes an object twice at once, then after 10 s, 20 s,
// 40 s and so on up to 5 min: at most 5 times in a minute.
func (c *Cluster) WritesAtMost(limit int, within time.Duration) {
	c.t.Helper()
	mark, deadline := c.operator.Sent.Count(), time.Now().Add(within)
	for time.Now().Before(deadline) {
		writes := c.writesSince(mark)
		for _, object := range slices.Sorted(maps.Keys(writes)) {
			if writes[object] > limit {
				c.t.Fatalf("%s was written %d times in %s, and may be at most %d times in %s:\n%s",
					object, writes[object], (within - time.Until(deadline)).Round(time.Millisecond), limit, within, c.operator.DescribeRequests(mark))
			}
		}
		if ended := c.operator.ExitError(); ended != nil {
			c.t.Fatalf("the operator ended: %v", ended)
		}
		time.Sleep(instance.Interval)
	}
}

// writesSince counts the writes after the first n requests, by object.
func (c *Cluster) writesSince(n int) map[string]int {
	writes := map[string]int{}
	for _, e := range c.operator.Sent.Since(n) {
		if e.Verb != "get" && !e.DryRun && !strings.HasPrefix(e.Resource, "events") {
			writes[e.Key()]++
		}
	}
	return writes
}
