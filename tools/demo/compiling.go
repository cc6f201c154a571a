package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// compilation is a command that a step waits for: one that compiles packages, or one that lists them before.
type compilation struct {
	*background
	lists bool // and downloads modules
	total int  // packages that Go's cache does not have
	pace  pace
}

// compile runs a command that compiles, so that the status says how far it is, and returns what it prints. The packages are
// those that it compiles, with flags of go list.
func (p *project) compile(ctx context.Context, dir string, packages []string, name string, args ...string) (string, error) {
	list := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, packages...)
	stale, err := p.waitFor(newCommand(ctx, p.env(), dir, "go", list...), &compilation{lists: true})
	if err != nil {
		return "", err
	}
	flags, err := runCommand(newCommand(ctx, p.env(), dir, "go", "env", "GOFLAGS"))
	if err != nil {
		return "", err
	}
	// With -v, go prints each package that it compiles.
	env := append(p.env(), "GOFLAGS="+strings.TrimSpace(string(flags)+" -v"))
	return p.waitFor(newCommand(ctx, env, dir, name, args...), &compilation{total: countPackages(stale)})
}

// waitFor runs a command that the status is about, and returns what it prints.
func (p *project) waitFor(cmd *exec.Cmd, c *compilation) (printed string, err error) {
	if c.background, err = startCommand(cmd); err != nil {
		return "", err
	}
	p.compiling.Store(c)
	defer p.compiling.Store(nil)
	err = c.wait()
	return c.printed.text(), err
}

// status says how far all that is compiled is.
func (p *project) status() string {
	text := ""
	switch c := p.compiling.Load(); {
	case c == nil:
	case c.lists:
		text = fmt.Sprintf("; downloaded %d modules", strings.Count(c.printed.text(), "go: downloading "))
	default:
		done := countPackages(c.printed.text())
		text = fmt.Sprintf("; compiled %d of %d packages%s", done, max(c.total, done), c.pace.estimate(done, c.total))
	}
	return text + p.cluster.buildStatus()
}

// countPackages counts the lines that are nothing but the path of a package.
func countPackages(printed string) (count int) {
	for line := range strings.Lines(printed) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line != "PASS" && !strings.ContainsAny(line, " \t") {
			count++
		}
	}
	return count
}

// pace is how fast packages are compiled.
type pace struct {
	mu   sync.Mutex
	seen []sample
}

type sample struct {
	at   time.Time
	done int
}

const (
	// paceAfter is for how long a pace is watched before it gives an estimate.
	paceAfter = 30 * time.Second
	// paceWindow is how much of the past it is taken from.
	paceWindow = 90 * time.Second
)

// estimate says how long the rest takes at the pace of the last time.
func (p *pace) estimate(done, total int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.seen = append(p.seen, sample{now, done})
	for now.Sub(p.seen[0].at) > paceWindow {
		p.seen = p.seen[1:]
	}
	took, compiled := now.Sub(p.seen[0].at), done-p.seen[0].done
	if took < paceAfter || compiled <= 0 || done >= total {
		return ""
	}
	left := took * time.Duration(total-done) / time.Duration(compiled)
	if left < time.Minute {
		return ", less than a minute to go"
	}
	return fmt.Sprintf(", about %.0f min to go", left.Minutes())
}

// countedPackages reads "compiling 381 of 2360 packages".
func countedPackages(phase string) (done, total int) {
	words := strings.Fields(phase)
	if len(words) == 5 && words[0] == "compiling" {
		done, _ = strconv.Atoi(words[1])
		total, _ = strconv.Atoi(words[3])
	}
	return done, total
}

// lowPriority makes a command leave the processors to all that has something to do.
func lowPriority(cmd *exec.Cmd) {
	nice, err := exec.LookPath("nice")
	if err != nil {
		return
	}
	cmd.Path, cmd.Args = nice, append([]string{"nice", "-n", "19"}, cmd.Args...)
}
