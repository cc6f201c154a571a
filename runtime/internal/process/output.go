package process

import (
	"fmt"
	"io"
	"sync"
)

// output is the writer of a process's log. Its last line is the reason why the process ends,
// even if other goroutines still write.
type output struct {
	mu    sync.Mutex
	to    io.Writer
	ended bool
}

// Write writes to the log. Once the process ends it drops the text.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return len(text), nil
	}
	return o.to.Write(text)
}

// end writes the reason why the process ends, and drops everything after it.
func (o *output) end(reason error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	fmt.Fprintln(o.to, reason)
}
