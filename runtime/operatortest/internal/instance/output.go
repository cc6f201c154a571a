package instance

import (
	"io"
	"sync"
	"testing"
)

// output is the output of a test, until the test has ended. A manager of controller-runtime leaves goroutines behind that
// log later, and a test that has ended panics then.
type output struct {
	mu       sync.Mutex
	test     io.Writer
	hasEnded bool
}

// outputOf returns the output of a test. It ends after the cleanups that are registered later.
func outputOf(t *testing.T) *output {
	t.Helper()
	o := &output{test: t.Output()}
	t.Cleanup(o.end)
	return o
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hasEnded = true
}

func (o *output) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.hasEnded {
		return len(line), nil
	}
	return o.test.Write(line)
}
