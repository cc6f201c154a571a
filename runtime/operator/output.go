package operator

import (
	"fmt"
	"io"
	"sync"
)

// output is what a process writes its log to. The reason why it ends is the last line:
// parts that still run then would otherwise write after it.
type output struct {
	mu    sync.Mutex
	to    io.Writer
	ended bool
}

// Write writes to the log, and nothing once the process ends.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return len(text), nil
	}
	return o.to.Write(text)
}

// end writes the reason why the process ends.
func (o *output) end(reason error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	fmt.Fprintln(o.to, reason)
}
