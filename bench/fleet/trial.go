package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// trial is one contender in one round, with a number of parents.
type trial struct {
	*bench
	contender
	cluster *cluster
	fleet   *fleet
	audit   *audit
	used    usage
	result  figures
}

// figures are what was measured, by the keys of rows.
type figures map[string]float64

// quiet is for how long nothing may happen until a contender counts as settled.
const quiet = 2 * time.Second

// inCluster runs a part of a trial with a fresh fleet in a fresh control plane.
func (t *trial) inCluster(ctx context.Context, part string, do func(context.Context) error) (err error) {
	t.progress.Say("%s: %s: starting a control plane", t.title, part)
	if t.cluster, err = t.clusters.up(ctx); err != nil {
		return err
	}
	release := func() {}
	defer func() {
		release()
		err = errors.Join(err, t.clusters.down(context.WithoutCancel(ctx)))
	}()
	t.namespaces++
	namespace := fmt.Sprintf("fleet-%d-%d", os.Getpid(), t.namespaces)
	if t.fleet, err = newFleet(ctx, t.cluster.kubeconfig, namespace, t.size); err != nil {
		return err
	}
	if t.audit, err = openAudit(t.cluster.auditLog, t.userAgent()); err != nil {
		return err
	}
	defer t.audit.close()
	if err := t.cluster.calm(ctx); err != nil {
		return err
	}
	if !t.clusters.controllers {
		release = t.cluster.hold()
	}
	t.progress.Say("%s: %s", t.title, part)
	if err := do(ctx); err != nil {
		return fmt.Errorf("%s: %s: %w", t.title, part, err)
	}
	if t.cluster.own {
		return nil
	}
	return t.fleet.remove(ctx)
}

// start starts the contender.
func (t *trial) start(ctx context.Context, more ...string) (*process, error) {
	return t.contender.start(ctx, t.cluster.kubeconfig, t.logs(), more...)
}

// patience is how long a step may take: the slowest contender does ten parents a second, and Kubernetes' own
// controllers, where they run, do one.
func (t *trial) patience() time.Duration {
	each := 100 * time.Millisecond
	if t.clusters.controllers || !t.cluster.own {
		each = time.Second
	}
	return time.Minute + time.Duration(t.size)*each
}

// written waits until the contender has written the status of so many parents since a mark, and returns when it wrote
// the last one.
func (t *trial) written(ctx context.Context, p *process, mark, parents int) (last time.Time, err error) {
	read := 0
	err = until(ctx, t.patience(), 50*time.Millisecond, fmt.Sprintf("%d parents have their status", parents), func() (bool, error) {
		if err := errors.Join(p.failed(), t.audit.read()); err != nil {
			return false, err
		}
		if len(t.audit.requests) == read {
			return false, nil
		}
		read = len(t.audit.requests)
		if read-mark < parents {
			return false, nil
		}
		var n int
		n, last = settledAt(t.audit.requests[mark:])
		return n >= parents, nil
	})
	return last, err
}

// settled waits until the contender makes no more requests and has no more passes to run.
func (t *trial) settled(ctx context.Context, p *process) error {
	_, err := t.rested(ctx, p, func(float64) bool { return false })
	return err
}

// rested waits for the same, or until enough, which is given the number of passes, says that waiting is of no use. It
// returns how many passes there were.
func (t *trial) rested(ctx context.Context, p *process, enough func(passes float64) bool) (passes float64, err error) {
	var made int
	since := time.Now()
	err = until(ctx, t.patience(), 100*time.Millisecond, "nothing more happened", func() (bool, error) {
		if err := errors.Join(p.failed(), t.audit.read()); err != nil {
			return false, err
		}
		if !p.watches {
			return true, nil
		}
		now, err := p.counters(ctx)
		busy := err != nil || now["workqueue_depth"]+now["controller_runtime_active_workers"] > 0 // or it serves no metrics yet
		if busy || len(t.audit.requests) != made || now[passesTotal] != passes {
			made, passes, since = len(t.audit.requests), now[passesTotal], time.Now()
		}
		return time.Since(since) > quiet || enough(passes), nil
	})
	return passes, err
}

// The metrics of controller-runtime that say what passes there were.
const (
	passesTotal = "controller_runtime_reconcile_total"
	passesTime  = "controller_runtime_reconcile_time_seconds_sum"
	passesCount = "controller_runtime_reconcile_time_seconds_count"
)

// perParent is a count divided by the number of parents.
func (t *trial) perParent(n int) float64 { return float64(n) / float64(t.size) }

// note adds up which requests there were, for the appendix.
func (t *trial) note(part string, requests []request) {
	for _, r := range requests {
		t.requests.add(t.size, t.key, part, fmt.Sprintf("%s %s %d", r.Verb, r.Resource, r.Code))
	}
}
