package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// cluster times the local control plane with a warm cache. It has no peer here: the target is 5 s on 2 cores.
func (b *bench) cluster(ctx context.Context) error {
	name := fmt.Sprintf("bench-%d", os.Getpid())
	up := contender{name: "opgen cluster up", dir: b.peers.checkout, args: []string{b.peers.opgen, "cluster", "up", "--name", name}}
	down := contender{name: "opgen cluster down", dir: b.peers.checkout, args: []string{b.peers.opgen, "cluster", "down", "--name", name}}
	r := row{name: up.name}
	const runs = 5
	for n := range runs + 1 {
		b.progress.Say("start %d of %d (built on the first one)", n, runs)
		s, err := up.run(ctx)
		if _, downErr := down.run(context.WithoutCancel(ctx)); err == nil {
			err = downErr
		}
		if err != nil {
			return err
		}
		if n > 0 {
			r.samples = append(r.samples, s)
		}
	}
	b.table.add(fmt.Sprintf("start the local control plane with a warm cache (%d runs; processor and memory are those of opgen alone)", runs),
		[]row{r}, factor("seconds", int64(r.wall()), int64(time.Second), 5))
	return nil
}
