package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// progress shows on a terminal what a long run is at.
type progress struct {
	live  bool
	begun time.Time
	shown bool
}

func newProgress() *progress {
	return &progress{live: term.IsTerminal(int(os.Stderr.Fd())), begun: time.Now()}
}

// showStep shows a step, once the run has taken two seconds; all is 0 where nothing can be counted.
func (p *progress) showStep(step string, done, all int) {
	if !p.live || time.Since(p.begun) < 2*time.Second {
		return
	}
	p.shown = true
	if all == 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K%s", step)
		return
	}
	fmt.Fprintf(os.Stderr, "\r\033[K%s: %d of %d", step, done, all)
}

// clearLine takes the line away.
func (p *progress) clearLine() {
	if p.shown {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
}
