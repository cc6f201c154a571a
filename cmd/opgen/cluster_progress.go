package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// progressDisplay shows what the local control plane is doing: one line that changes on a terminal,
// otherwise a line when the phase changes and every plainInterval.
type progressDisplay struct {
	out       io.Writer
	live      bool
	release   cluster.Release // that is built
	begin     time.Time
	phase     cluster.Phase
	lastShown time.Time
}

const (
	liveInterval  = 100 * time.Millisecond
	plainInterval = 10 * time.Second
)

func newProgressDisplay(out io.Writer, release cluster.Release) *progressDisplay {
	file, isFile := out.(*os.File)
	live := isFile && term.IsTerminal(int(file.Fd()))
	return &progressDisplay{out: out, live: live, release: release, begin: time.Now()}
}

// show displays one report. A start takes a second or two, so only terminals show it.
func (d *progressDisplay) show(p cluster.Progress) {
	interval := plainInterval
	if d.live {
		interval = liveInterval
	} else if p.Phase == cluster.PhaseStarting {
		return
	}
	if p.Phase == d.phase && time.Since(d.lastShown) < interval {
		return
	}
	d.phase, d.lastShown = p.Phase, time.Now()
	text := d.describe(p)
	if d.live {
		fmt.Fprintf(d.out, "\r\033[K%s", text)
		return
	}
	fmt.Fprintln(d.out, text)
}

// describe returns the report as one line, for example
// "building Kubernetes v1.36.3, once: compiling 412 of 1530 packages, 25s".
func (d *progressDisplay) describe(p cluster.Progress) string {
	elapsed := time.Since(d.begin).Round(time.Second)
	if p.Phase == cluster.PhaseStarting {
		return "starting the cluster"
	}
	counted := ""
	switch {
	case p.Total > 0:
		counted = fmt.Sprintf(" %d of %d packages", p.Done, p.Total)
	case p.Done > 0:
		counted = fmt.Sprintf(" (%d)", p.Done)
	}
	what := p.What
	if what == "" {
		what = "Kubernetes " + string(d.release)
	}
	return fmt.Sprintf("building %s, once: %s%s, %s", what, p.Phase, counted, elapsed)
}

// finish clears the live line.
func (d *progressDisplay) finish() {
	if d.live && d.phase != "" {
		fmt.Fprint(d.out, "\r\033[K")
	}
}
