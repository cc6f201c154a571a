// Command bench times opgen against its peers, side by side in one run, and prints medians and their ratios.
//
// It is a module of its own: what it needs of the peers must not weigh on the users of opgen. Machines are
// noisy, so the contenders take turns, and only the ratio of their medians is worth quoting.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/bench/progress"
)

// bench is one run.
type bench struct {
	peers    peers
	temp     string // removed in the end
	crds     string // a folder of CRDs
	runs     int
	progress progress.Progress
	table    table
}

// comparisons are what can be run, in this order.
var comparisons = []struct {
	name string
	run  func(b *bench, ctx context.Context) error
}{
	{"import", (*bench).imports},
	{"kinds", (*bench).kinds},
	{"growth", (*bench).growth},
	{"echo", (*bench).echo},
	{"binaries", (*bench).binaries},
	{"cluster", (*bench).cluster},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

func run(ctx context.Context) error {
	var names []string
	for _, c := range comparisons {
		names = append(names, c.name)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rows := flags.String("rows", strings.Join(names, ","), "what to compare")
	runs := flags.Int("runs", 7, "how often each contender runs")
	crds := flags.String("crds", filepath.Join("..", "..", "shared", "crds"), "a folder of CRDs of other projects")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(*rows, ",") {
		wanted[name] = true
	}
	temp, err := os.MkdirTemp("", "opgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b := bench{temp: temp, crds: *crds, runs: *runs, progress: progress.New(os.Stderr)}
	b.progress.Begin("building opgen and controller-gen")
	if b.peers, err = build(ctx, filepath.Join(temp, "bin")); err != nil {
		return err
	}
	for _, c := range comparisons {
		if !wanted[c.name] {
			continue
		}
		delete(wanted, c.name)
		b.progress.Begin(c.name)
		if err := c.run(&b, ctx); err != nil {
			b.progress.End()
			return err
		}
	}
	b.progress.End()
	for name := range wanted {
		return fmt.Errorf("there is no row %q: there are %s", name, strings.Join(names, ", "))
	}
	b.table.print(os.Stdout, *runs)
	return nil
}
