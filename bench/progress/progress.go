// Package progress says how far a long run is.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Progress says on one line of a terminal what is being done, and elsewhere what has begun.
type Progress struct {
	out   io.Writer
	live  bool
	start time.Time
	doing string
}

// New returns what reports to out.
func New(out *os.File) Progress {
	info, err := out.Stat()
	return Progress{out: out, live: err == nil && info.Mode()&os.ModeCharDevice != 0, start: time.Now()}
}

// Begin says what comes next.
func (p *Progress) Begin(doing string) {
	p.doing = doing
	if p.live {
		p.Say("")
		return
	}
	fmt.Fprintln(p.out, doing, "...")
}

// Say says how far it is.
func (p *Progress) Say(format string, args ...any) {
	if p.live {
		fmt.Fprintf(p.out, "\r\x1b[K%4.0f s  %s  %s", time.Since(p.start).Seconds(), p.doing, fmt.Sprintf(format, args...))
	}
}

// End clears the line.
func (p *Progress) End() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
