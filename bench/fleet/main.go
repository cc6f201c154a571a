// Command fleet measures how operators bring about and keep what many parents want: the one that opgen has generated
// beside hand-written ones and beside a plain client, each as a process of its own against a fresh control plane, in
// turns. Requests are counted from the API server's audit log. It prints Markdown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/bench/progress"
)

// bench is one run.
type bench struct {
	clusters   clusters
	temp       string // removed in the end, unless something failed
	size       int    // how many parents there are now
	sizes      []int
	rounds     int
	idle       time.Duration
	changes    int // how many changes are timed one by one
	progress   progress.Progress
	contenders []contender
	namespaces int
	results    results
	requests   tally
}

func main() {
	log.SetLogger(logr.Discard())
	err := run()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "fleet:", err)
	os.Exit(1)
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := bench{progress: progress.New(os.Stderr), requests: tally{}, results: results{}}
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Usage: fleet [flags], or fleet [flags] create-cost | change-cost")
		flags.PrintDefaults()
	}
	parents := flags.String("parents", "200,1000,10000", "how many parents: `numbers` with commas between them")
	only := flags.String("contenders", "", "`names` of those who take part, with commas between them; by default all")
	flags.IntVar(&b.rounds, "rounds", 3, "how often each contender runs")
	flags.DurationVar(&b.idle, "idle", time.Minute, "how long the idle time is, in which all parents are resynced")
	flags.IntVar(&b.changes, "changes", 200, "how many changes are timed one by one")
	flags.BoolVar(&b.clusters.controllers, "controllers", false, "let Kubernetes' own controllers run beside the contenders")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	if b.sizes, err = numbers(*parents); err != nil {
		return fmt.Errorf("--parents: %w", err)
	}
	if b.temp, err = os.MkdirTemp("", "opgen-fleet-"); err != nil {
		return err
	}
	defer func() {
		b.progress.End()
		if err != nil {
			err = fmt.Errorf("%w\nwhat the contenders said is in %s", err, b.logs())
			return
		}
		err = os.RemoveAll(b.temp)
	}()
	if b.clusters.given, err = givenCluster(); err != nil {
		return err
	}
	b.clusters.name = fmt.Sprintf("fleet-%d", os.Getpid())
	b.progress.Begin("building opgen and the contenders")
	if err := b.build(ctx, *only); err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "":
		return b.compare(ctx)
	case "create-cost":
		return b.createCost(ctx)
	case "change-cost":
		return b.changeCost(ctx)
	}
	return fmt.Errorf("unexpected argument %q", flags.Arg(0))
}

// compare runs all contenders with all numbers of parents.
func (b *bench) compare(ctx context.Context) error {
	workers, err := b.bestFloor(ctx)
	if err != nil {
		return err
	}
	for _, b.size = range b.sizes {
		for round := range b.rounds {
			for _, c := range b.contenders {
				b.progress.Begin(fmt.Sprintf("%d parents, round %d of %d, %s", b.size, round+1, b.rounds, c.title))
				t := trial{bench: b, contender: c, result: figures{}}
				if err := t.run(ctx); err != nil {
					return fmt.Errorf("with %d parents: %w", b.size, err)
				}
				b.results.add(b.size, c.key, t.result)
			}
		}
	}
	b.progress.End()
	b.print(os.Stdout, workers)
	return nil
}

// run runs all parts of a trial.
func (t *trial) run(ctx context.Context) error {
	if err := t.inCluster(ctx, "cold", t.cold); err != nil {
		return err
	}
	if t.watches {
		if err := t.inCluster(ctx, "live", t.live); err != nil {
			return err
		}
		t.result["cpu"], t.result["memory"] = t.used.cpu.Seconds(), float64(t.used.memory)
	}
	return nil
}

// bestFloor finds with how many workers the plain client is fastest, and has it run with as many.
func (b *bench) bestFloor(ctx context.Context) (workers int, err error) {
	i := slices.IndexFunc(b.contenders, func(c contender) bool { return !c.watches })
	if i < 0 {
		return 0, nil
	}
	b.size = min(400, slices.Max(b.sizes))
	best := 0.0
	for _, n := range []int{4, 8, 16, 32} {
		b.progress.Begin(fmt.Sprintf("the floor with %d workers", n))
		t := trial{bench: b, contender: b.contenders[i], result: figures{}}
		t.args = []string{"--workers", strconv.Itoa(n)}
		if err := t.inCluster(ctx, "cold", t.cold); err != nil {
			return 0, err
		}
		if rate := t.result["cold.writing"]; rate > best {
			best, workers, b.contenders[i].args = rate, n, t.args
		}
	}
	b.requests = tally{}
	return workers, nil
}

func numbers(list string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of parents", text)
		}
		all = append(all, n)
	}
	return all, nil
}

func (b *bench) logs() string { return filepath.Join(b.temp, "logs") }
