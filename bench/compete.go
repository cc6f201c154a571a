package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// contender is a command that does the job.
type contender struct {
	name string
	dir  string
	args []string
	// before prepares a run, and is not timed; nil: nothing is to prepare.
	before func(context.Context) error
}

// sample is what one run took.
type sample struct {
	wall, cpu time.Duration
	memory    int64 // at its peak, in bytes
}

// row is what was measured of a contender.
type row struct {
	name    string
	samples []sample
}

// median returns the median of what a sample has, and the least and the most of it.
func (r row) median(of func(sample) int64) (median, least, most int64) {
	all := make([]int64, 0, len(r.samples))
	for _, s := range r.samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2], all[0], all[len(all)-1]
}

func (r row) wall() time.Duration {
	median, _, _ := r.median(func(s sample) int64 { return int64(s.wall) })
	return time.Duration(median)
}

func (r row) cpu() time.Duration {
	median, _, _ := r.median(func(s sample) int64 { return int64(s.cpu) })
	return time.Duration(median)
}

func (r row) memory() int64 {
	median, _, _ := r.median(func(s sample) int64 { return s.memory })
	return median
}

// timeInTurn runs the contenders in turn, so that what disturbs the machine disturbs all of them. The first round warms
// the caches and does not count.
func (b *bench) timeInTurn(ctx context.Context, runs int, contenders ...contender) ([]row, error) {
	rows := make([]row, len(contenders))
	for n := range runs + 1 {
		b.progress.Say("round %d of %d", n, runs)
		for i, c := range contenders {
			s, err := c.run(ctx)
			if err != nil {
				return nil, err
			}
			rows[i].name = c.name
			if n > 0 {
				rows[i].samples = append(rows[i].samples, s)
			}
		}
	}
	return rows, nil
}

func (c contender) run(ctx context.Context) (sample, error) {
	if c.before != nil {
		if err := c.before(ctx); err != nil {
			return sample{}, fmt.Errorf("prepare %s: %w", c.name, err)
		}
	}
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", c.name, err, tail(out))
	}
	s := sample{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.memory = int64(usage.Maxrss)
		if runtime.GOOS != "darwin" {
			s.memory *= 1024 // which is in kilobytes elsewhere
		}
	}
	return s, nil
}

// tail returns the end of what a command said.
func tail(out []byte) []byte {
	const most = 2000
	return out[max(0, len(out)-most):]
}
