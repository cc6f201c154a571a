package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc, on every Linux platform.
const tick = 10 * time.Millisecond

// cpu returns the processor time that a program of the cluster has used: zero where /proc does not say.
func (c *cluster) cpu(program string) time.Duration { return cpuOf(c.pids[program]) }

// cpuOf returns the processor time that a process has used: zero where /proc does not say.
func cpuOf(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return ticks(strings.Fields(rest), 11, 12) // user and system, after the name that is the second field
}

// cpuOfMachine returns the processor time that all processes have used: zero where /proc does not say.
func cpuOfMachine() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return ticks(strings.Fields(first), 1, 2, 3, 6, 7) // not idle, not waiting, and not what a hypervisor took
}

func ticks(fields []string, which ...int) time.Duration {
	sum := 0
	for _, i := range which {
		if i < len(fields) {
			n, _ := strconv.Atoi(fields[i])
			sum += n
		}
	}
	return time.Duration(sum) * tick
}

// calm waits until a fresh control plane has done what it does after its start, which would slow down whoever comes
// first.
func (c *cluster) calm(ctx context.Context) error {
	const interval = 500 * time.Millisecond
	before, rested := c.cpu("kube-apiserver"), 0
	return until(ctx, time.Minute, interval, "the control plane is idle", func() (bool, error) {
		now := c.cpu("kube-apiserver")
		if rested++; now-before > interval/10 {
			rested = 0
		}
		before = now
		return rested > 2, nil
	})
}

// clock is processor time at a moment.
type clock struct {
	at                                        time.Time
	apiServer, etcd, programs, bench, machine time.Duration
}

func (c *cluster) clock() clock {
	now := clock{at: time.Now(), apiServer: c.cpu("kube-apiserver"), etcd: c.cpu("etcd"), bench: cpuOf(os.Getpid()), machine: cpuOfMachine()}
	for program := range c.pids {
		now.programs += c.cpu(program)
	}
	return now
}

// others is how many processors were busy with what has nothing to do with the measurement, on average.
func (from clock) others(to clock, contender time.Duration) float64 {
	ours := to.programs - from.programs + to.bench - from.bench + contender
	return (to.machine - from.machine - ours).Seconds() / to.at.Sub(from.at).Seconds()
}
