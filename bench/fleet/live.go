package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// live measures an operator that runs: parents are created, all of them are changed, some children are deleted, and
// some parents are changed one after the other.
func (t *trial) live(ctx context.Context) error {
	p, err := t.start(ctx)
	if err != nil {
		return err
	}
	defer p.kill()
	for _, step := range []struct {
		name string
		run  func(context.Context, *process) error
	}{
		{"start", t.settled}, {"creation", t.creation}, {"change", t.changeAll}, {"repair", t.repair}, {"latency", t.latency},
	} {
		t.progress.Say("%s: live: %s", t.title, step.name)
		if err := step.run(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	used, err := p.stop()
	if err != nil {
		return err
	}
	t.used.add(used)
	t.result["live.cpu"] = used.cpu.Seconds()
	return nil
}

func (t *trial) creation(ctx context.Context, p *process) error {
	requests, rate, err := t.carriedOut(ctx, p, "live creation", t.fleet.create)
	if err != nil {
		return err
	}
	t.result["live.requests"] = t.perParent(len(requests))
	t.result["live.conflicts"] = t.perParent(conflicts(requests))
	t.result["live.rate"] = rate
	return t.fleet.check(ctx, image(0))
}

func (t *trial) changeAll(ctx context.Context, p *process) error {
	change := func(ctx context.Context) error { return t.fleet.change(ctx, image(1)) }
	requests, rate, err := t.carriedOut(ctx, p, "change", change)
	if err != nil {
		return err
	}
	t.result["change.requests"] = t.perParent(len(requests))
	t.result["change.rate"] = rate
	return t.fleet.check(ctx, image(1))
}

// carriedOut does something to all parents and waits until the contender has carried it out. It returns the
// contender's requests, and the parents per second.
func (t *trial) carriedOut(ctx context.Context, p *process, part string, do func(context.Context) error) ([]request, float64, error) {
	mark, begin := len(t.audit.requests), time.Now()
	if err := do(ctx); err != nil {
		return nil, 0, err
	}
	last, err := t.written(ctx, p, mark, t.size)
	if err != nil {
		return nil, 0, err
	}
	if err := t.settled(ctx, p); err != nil {
		return nil, 0, err
	}
	requests := t.audit.requests[mark:]
	t.note(part, requests)
	return requests, float64(t.size) / last.Sub(begin).Seconds(), nil
}

// pause is between two changes that are measured one by one, so that each meets an idle operator.
const pause = 20 * time.Millisecond

// repair deletes children one by one, and measures until each exists again.
func (t *trial) repair(ctx context.Context, p *process) error {
	const most = 50
	seen, err := t.watch(ctx, &corev1.ConfigMapList{})
	if err != nil {
		return err
	}
	defer seen.Stop()
	mark, times := len(t.audit.requests), []time.Duration{}
	for i := range min(most, t.size) {
		begin := time.Now()
		if err := t.fleet.user.Delete(ctx, &corev1.ConfigMap{ObjectMeta: t.fleet.meta(i)}); err != nil {
			return err
		}
		at, err := awaited(ctx, seen, func(e watch.Event) bool {
			return e.Type == watch.Added && e.Object.(client.Object).GetName() == t.fleet.name(i)
		})
		if err != nil {
			return err
		}
		times = append(times, at.Sub(begin))
		time.Sleep(pause)
	}
	if err := t.settled(ctx, p); err != nil {
		return err
	}
	requests := t.audit.requests[mark:]
	t.note("repair", requests)
	t.result["repair.requests"] = float64(len(requests)) / float64(len(times))
	t.result["repair.p50"] = milliseconds(quantile(times, 0.50))
	return nil
}

// latency changes parents one by one, and measures until the child has the change.
func (t *trial) latency(ctx context.Context, p *process) error {
	seen, err := t.watch(ctx, &appsv1.DeploymentList{})
	if err != nil {
		return err
	}
	defer seen.Stop()
	times := make([]time.Duration, 0, t.changes)
	for n := range t.changes {
		i, to := n%t.size, image(2+n/t.size)
		begin := time.Now()
		if err := t.fleet.changeOne(ctx, i, to); err != nil {
			return err
		}
		at, err := awaited(ctx, seen, func(e watch.Event) bool {
			d, ok := e.Object.(*appsv1.Deployment)
			return ok && d.Name == t.fleet.name(i) && d.Spec.Template.Spec.Containers[0].Image == to
		})
		if err != nil {
			return err
		}
		times = append(times, at.Sub(begin))
		time.Sleep(pause)
	}
	t.result["latency.p50"] = milliseconds(quantile(times, 0.50))
	t.result["latency.p99"] = milliseconds(quantile(times, 0.99))
	return t.settled(ctx, p)
}

// watch watches the objects of a kind from now on.
func (t *trial) watch(ctx context.Context, list client.ObjectList) (watch.Interface, error) {
	in := client.InNamespace(t.fleet.namespace)
	if err := t.fleet.user.List(ctx, list, in, client.Limit(1)); err != nil {
		return nil, err
	}
	return t.fleet.user.Watch(ctx, list, in, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}})
}

// awaited returns when the event came that is waited for.
func awaited(ctx context.Context, seen watch.Interface, wanted func(watch.Event) bool) (time.Time, error) {
	late := time.After(30 * time.Second)
	for {
		select {
		case e, ok := <-seen.ResultChan():
			switch {
			case !ok || e.Type == watch.Error:
				return time.Time{}, fmt.Errorf("the watch ended: %v", e.Object)
			case wanted(e):
				return time.Now(), nil
			}
		case <-late:
			return time.Time{}, errors.New("a child was not as wanted after 30 s")
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		}
	}
}

// quantile returns the duration that this part of all durations does not exceed.
func quantile(all []time.Duration, part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
