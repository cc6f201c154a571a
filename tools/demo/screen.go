package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// screen prints lines. While a step takes long it shows for how long: in one line that changes on a
// terminal, in lines of their own elsewhere.
type screen struct {
	out      io.Writer
	terminal bool

	mu     sync.Mutex
	status bool // the last line on the terminal is a status
}

const (
	// statusAfter is how long a step takes on a terminal before it has a status.
	statusAfter = 2 * time.Second
	// statusInterval is the time between two statuses on a terminal.
	statusInterval = time.Second
	// plainInterval is the time between two statuses elsewhere.
	plainInterval = 10 * time.Second
	// statusWidth is how much of a status is shown on a terminal: a line that wraps cannot be
	// cleared.
	statusWidth = 79
)

func newScreen(out *os.File) *screen {
	info, err := out.Stat()
	return &screen{out: out, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// print prints a line, in the place of a status.
func (s *screen) print(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	fmt.Fprintf(s.out, format+"\n", args...)
}

// say prints what a step has seen.
func (s *screen) say(format string, args ...any) { s.print("        "+format, args...) }

// showStatus shows for how long a step has taken, with what more has to add. The returned function
// ends that.
func (s *screen) showStatus(more func() string) (hide func()) {
	begin, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	after, interval := plainInterval, plainInterval
	if s.terminal {
		after, interval = statusAfter, statusInterval
	}
	go func() {
		defer close(ended)
		timer := time.NewTimer(after)
		defer timer.Stop()
		for {
			select {
			case <-over:
				return
			case <-timer.C:
				s.printStatus(fmt.Sprintf("        %.0f s so far%s", time.Since(begin).Seconds(), more()))
				timer.Reset(interval)
			}
		}
	}()
	return func() { close(over); <-ended }
}

func (s *screen) printStatus(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal {
		fmt.Fprintln(s.out, text)
		return
	}
	s.clearStatus()
	fmt.Fprint(s.out, text[:min(len(text), statusWidth)])
	s.status = true
}

// clearStatus removes the status from the terminal. The caller holds the lock.
func (s *screen) clearStatus() {
	if s.status {
		fmt.Fprint(s.out, "\r\033[K")
		s.status = false
	}
}
