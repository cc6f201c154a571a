package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress says on one line of a terminal what is being done, and elsewhere what has begun.
type progress struct {
	out   io.Writer
	live  bool
	start time.Time
	doing string
}

func newProgress(out *os.File) progress {
	info, err := out.Stat()
	return progress{out: out, live: err == nil && info.Mode()&os.ModeCharDevice != 0, start: time.Now()}
}

// begin says what comes next.
func (p *progress) begin(doing string) {
	p.doing = doing
	if p.live {
		p.say("")
		return
	}
	fmt.Fprintln(p.out, doing, "...")
}

// say says how far it is.
func (p *progress) say(format string, args ...any) {
	if p.live {
		fmt.Fprintf(p.out, "\r\x1b[K%4.0f s  %s  %s", time.Since(p.start).Seconds(), p.doing, fmt.Sprintf(format, args...))
	}
}

// end clears the line.
func (p *progress) end() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
