// Package parallel does independent steps on all processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with every index below n, as many at a time as there are processors. The
// calls share nothing, so that their order does not matter: they leave their results at their
// index.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
