//go:build !unix

package apply

import "testing"

// cpuTime skips a benchmark: the time of processors is read only on Unix.
func cpuTime(b *testing.B) int64 {
	b.Skip("skipped: it reads the time of processors, which it can on Unix alone")
	return 0
}
