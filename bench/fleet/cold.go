package main

import (
	"context"
	"fmt"
	"time"
)

// cold measures what starts with parents that exist: a cold start, a restart with everything converged, and an idle
// time in which all parents are looked at again.
func (t *trial) cold(ctx context.Context) error {
	if err := t.fleet.create(ctx); err != nil {
		return err
	}
	if err := t.coldStart(ctx); err != nil {
		return fmt.Errorf("cold start: %w", err)
	}
	if !t.watches {
		return t.changeAgain(ctx)
	}
	if err := t.restart(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return nil
}

func (t *trial) coldStart(ctx context.Context) error {
	before := t.cluster.clock()
	p, err := t.start(ctx)
	if err != nil {
		return err
	}
	defer p.kill()
	last, err := t.written(ctx, p, 0, t.size)
	if err != nil {
		return err
	}
	after, own := t.cluster.clock(), cpuOf(p.cmd.Process.Pid)
	if err := t.settled(ctx, p); err != nil {
		return err
	}
	used, err := p.stop()
	if err != nil {
		return err
	}
	if err := t.fleet.check(ctx, image(0)); err != nil {
		return err
	}
	requests := t.audit.requests
	t.note("cold start", requests)
	t.used.add(used)
	t.result["cold.requests"] = t.perParent(len(requests))
	t.result["cold.conflicts"] = t.perParent(conflicts(requests))
	t.result["cold.rate"] = float64(t.size) / last.Sub(p.started).Seconds()
	t.result["cold.writing"] = float64(t.size) / last.Sub(requests[0].At).Seconds()
	t.result["cold.cpu"] = used.cpu.Seconds()
	t.result["cold.memory"] = float64(used.memory)
	if after.apiServer > before.apiServer {
		t.result["apiserver.cpu"] = milliseconds(after.apiServer-before.apiServer) / float64(t.size)
		t.result["etcd.cpu"] = milliseconds(after.etcd-before.etcd) / float64(t.size)
		t.result["others"] = before.others(after, own)
	}
	return nil
}

// resync is how often parents are looked at again. An informer of client-go lets every other resync pass when its two
// timers, which have one period, fire in the wrong order; the idle time still has one.
func (b *bench) resync() time.Duration { return b.idle / 3 }

// restart measures a second start and the idle time after it, in which every parent is resynced at least once. A
// contender that writes in each reconcile has no idle time where resyncs come faster than it can follow: it is looked at
// while it works.
func (t *trial) restart(ctx context.Context) error {
	mark, lists := len(t.audit.requests), t.audit.lists
	p, err := t.start(ctx, "--resync", t.resync().String())
	if err != nil {
		return err
	}
	defer p.kill()
	begin := time.Now()
	behind := func(passes float64) bool {
		return time.Since(begin) > 2*t.resync() && passes >= float64(t.size)
	}
	passes, err := t.rested(ctx, p, behind)
	if err != nil {
		return err
	}
	t.result["restart.requests"] = float64(len(t.audit.requests) - mark)
	if behind(passes) { // resyncs have begun, and what it did is more than one look at each parent
		t.result["restart.requests"] *= float64(t.size) / passes
	}
	t.result["restart.lists"] = float64(t.audit.lists - lists)
	t.note("restart", t.audit.requests[mark:])
	before, err := p.counters(ctx)
	if err != nil {
		return err
	}
	mark, cpu := len(t.audit.requests), cpuOf(p.cmd.Process.Pid)
	t.progress.Say("%s: idle for %s, with resyncs", t.title, t.idle)
	if err := t.rest(ctx, p); err != nil {
		return err
	}
	after, err := p.counters(ctx)
	if err != nil {
		return err
	}
	t.result["idle.requests"] = float64(len(t.audit.requests) - mark)
	t.note("idle", t.audit.requests[mark:])
	passes = after[passesCount] - before[passesCount]
	t.result["idle.passes"] = passes / float64(t.size)
	if passes > 0 {
		t.result["pass.time"] = (after[passesTime] - before[passesTime]) / passes * 1e6
		t.result["pass.cpu"] = float64((cpuOf(p.cmd.Process.Pid) - cpu).Microseconds()) / passes
	}
	used, err := p.stop()
	if err != nil {
		return err
	}
	t.used.add(used)
	t.result["restart.cpu"] = used.cpu.Seconds()
	return nil
}

// rest waits for the idle time, and reads the audit log all the while so that none of it is lost when it is rotated.
func (t *trial) rest(ctx context.Context, p *process) error {
	end := time.Now().Add(t.idle)
	return until(ctx, 2*t.idle, time.Second, "the idle time is over", func() (bool, error) {
		if err := p.failed(); err != nil {
			return false, err
		}
		return time.Now().After(end), t.audit.read()
	})
}

// changeAgain measures a change of all parents for the contender that watches nothing: it is started for it.
func (t *trial) changeAgain(ctx context.Context) error {
	if err := t.fleet.change(ctx, image(1)); err != nil {
		return err
	}
	mark := len(t.audit.requests)
	p, err := t.start(ctx, "--change")
	if err != nil {
		return err
	}
	defer p.kill()
	last, err := t.written(ctx, p, mark, t.size)
	if err != nil {
		return err
	}
	used, err := p.stop()
	if err != nil {
		return err
	}
	t.used.add(used)
	requests := t.audit.requests[mark:]
	t.note("change", requests)
	t.result["change.requests"] = t.perParent(len(requests))
	t.result["change.rate"] = float64(t.size) / last.Sub(p.started).Seconds()
	return t.fleet.check(ctx, image(1))
}
