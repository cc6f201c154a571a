package main

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// startUp times the local control plane with a warm cache. It has no peer here: the target is 5 s on 2 cores.
func startUp(ctx context.Context, p peers) error {
	name := fmt.Sprintf("bench-%d", os.Getpid())
	up := contender{"opgen cluster up", p.checkout, []string{p.opgen, "cluster", "up", "--name", name}}
	down := contender{"opgen cluster down", p.checkout, []string{p.opgen, "cluster", "down", "--name", name}}
	fmt.Fprintln(os.Stderr, "starting the local control plane (built on the first run) ...")
	r := row{name: up.name}
	for n := range 6 {
		took, err := up.run(ctx)
		if _, downErr := down.run(context.WithoutCancel(ctx)); err == nil {
			err = downErr
		}
		if err != nil {
			return err
		}
		if n > 0 {
			r.times = append(r.times, took)
		}
	}
	slices.Sort(r.times)
	fmt.Printf("\nstart the local control plane with a warm cache (median of %d runs)\n", len(r.times))
	fmt.Printf("  %-52s %8.0f ms   (%.0f to %.0f)\n", r.name, ms(r.median()), ms(r.times[0]), ms(r.times[len(r.times)-1]))
	return nil
}
