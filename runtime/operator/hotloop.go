package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// hotLoop is what is known about a Sync that gives another answer each time,
// although nothing has changed but what it wrote itself: with a time in it, or a
// random name. Every write causes a reconcile, so that these would never end.
type hotLoop struct {
	left     sight     // what the last reconcile left behind; zero: not known
	children uint64    // sums up the children that Sync desired then
	parent   uint64    // sums up what it desired of the parent
	progress bool      // the reconcile has written children
	due      time.Time // when Sync asked to be called; zero: it did not
	at       time.Time // when that was
	count    int       // such answers since a reconcile that wrote nothing
}

// sight sums up the versions of all that a reconcile sees.
type sight struct {
	input  uint64 // children and related objects
	parent string
}

// holds returns how long a reconcile waits that nothing but the last one has caused.
func (l *hotLoop) holds(seen sight, now time.Time) (time.Duration, bool) {
	if l == nil || l.left != seen {
		return 0, false
	}
	next := l.at.Add(backoff.HotLoops.Wait(l.count))
	if !l.due.IsZero() && l.due.Before(next) {
		next = l.due
	}
	left := next.Sub(now)
	return left, left > 0
}

// wrote takes in a reconcile that has written something. What Sync desires of the parent
// may tell of children that the runtime has written since, one by one as in a roll. A
// reconcile that Sync had asked for at this time may desire what it likes.
func (l *hotLoop) wrote(seen sight, now hotLoop, requeue time.Duration) {
	asked := !l.due.IsZero() && !now.at.Before(l.due)
	differs := l.children != now.children || l.parent != now.parent && !l.progress
	now.count = l.count
	if l.left == seen && differs && !asked {
		now.count++
	}
	if requeue > 0 {
		now.due = now.at.Add(requeue)
	}
	*l = now
}

// noteAnswer takes in what Sync desired in a reconcile, and tells of it if it never
// desires the same.
func (r *reconciler[P, S, C, D, R]) noteAnswer(ctx context.Context, p *pass, response *Response[D, S], requeue time.Duration) {
	if len(p.wrote) == 0 {
		p.state.hotLoop = nil
		return
	}
	now := hotLoop{left: p.leaves(), children: p.wants, parent: r.sumOf(response), progress: len(p.made) > 0, at: p.now}
	if p.state.hotLoop == nil {
		p.state.hotLoop = new(hotLoop)
	}
	p.state.hotLoop.wrote(p.seen, now, requeue)
	if p.state.hotLoop.count < backoff.HotLoops.Free || !p.state.said.first(reasonHotLoop, p.now) {
		return
	}
	text := fmt.Sprintf("Sync desires something else in each reconcile, although nothing has changed but what it wrote itself (now %s): it is called less and less often until its answer stays the same", listed(p.wrote))
	p.event(corev1.EventTypeWarning, reasonHotLoop, cut(text))
	log.FromContext(ctx).Info(text)
}

// sumOf sums up what Sync desires of the parent. Conditions in a status are not the
// author's.
func (r *reconciler[P, S, C, D, R]) sumOf(response *Response[D, S]) uint64 {
	hash := xxhash.New()
	if response.Status != nil {
		status := *response.Status
		if of := r.definition.Conditions; of != nil {
			*of(&status) = nil
		}
		_ = json.NewEncoder(hash).Encode(status) // it has been written
	}
	for _, c := range response.Conditions {
		fmt.Fprintf(hash, "%s %s %s %s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	fmt.Fprint(hash, response.Labels, response.Annotations)
	return hash.Sum64()
}

// leaves sums up what the reconcile leaves behind, as the next one sees it if nothing
// else changes.
func (p *pass) leaves() sight {
	written, left := maps.Clone(p.made), []client.Object{}
	for _, objects := range slices.Concat(p.observed, p.related) {
		for _, object := range objects {
			uid := object.GetUID()
			if p.removed[uid] {
				continue
			}
			if changed, ok := p.made[uid]; ok {
				object = changed
				delete(written, uid)
			}
			left = append(left, object)
		}
	}
	left = slices.AppendSeq(left, maps.Values(written))
	return sight{fingerprint([][]client.Object{left}), p.parent.GetResourceVersion()}
}

// paths names the fields of a status that are changed.
func (c changes) paths() []string {
	var paths []string
	for _, step := range c.steps {
		path := strings.ReplaceAll(strings.TrimPrefix(step.Path, "/"), "/", ".")
		if step.Op != "test" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
