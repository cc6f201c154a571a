// Command bench times opgen against its peers, side by side in one run, and prints medians and their ratio.
//
// It is a module of its own: what it needs of the peers must not weigh on the users of opgen. Machines are
// noisy, so the contenders take turns, and only the ratio of their medians is worth quoting.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

const (
	warmUps = 2
	runs    = 21
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "opgen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	fmt.Fprintln(os.Stderr, "building opgen and controller-gen ...")
	peers, err := build(ctx, filepath.Join(temp, "bin"))
	if err != nil {
		return err
	}
	if err := generation(ctx, peers, filepath.Join(temp, "echo-operator")); err != nil {
		return err
	}
	return startUp(ctx, peers)
}

// report prints one comparison; the ratio is of the first row to each other.
func report(title string, rows []row) {
	fmt.Printf("\n%s (medians of %d runs, taking turns)\n", title, runs)
	for _, r := range rows {
		fmt.Printf("  %-52s %8.0f ms   (%.0f to %.0f)\n", r.name, ms(r.median()), ms(r.times[0]), ms(r.times[len(r.times)-1]))
	}
	for _, r := range rows[1:] {
		ratio := float64(r.median()) / float64(rows[0].median())
		fmt.Printf("  %s takes 1/%.0f of %s\n", rows[0].name, ratio, r.name)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
