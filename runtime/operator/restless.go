package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// restlessness is what is known about a Sync that gives another answer each time,
// although nothing has changed but what it wrote itself: with a time in it, or a
// name made by chance. Every write causes a pass, so that these would never end.
type restlessness struct {
	left   sight     // what the last pass left behind; zero: not known
	answer uint64    // what Sync wanted then; zero: not known
	due    time.Time // when it asked to be called; zero: it did not
	at     time.Time // when that was
	count  int       // such answers since a pass that wrote nothing
}

// sight sums up the versions of all that a pass sees.
type sight struct {
	input  uint64 // children and related objects
	parent string
}

// mostRestless is how many answers in a row may each be another one. A Sync that
// takes its children one step further in each pass has so many steps; those of a
// rolling update are the runtime's own, and are not counted.
const mostRestless = 50

// holds returns how long a pass waits that nothing but the last one has caused.
func (r *restlessness) holds(seen sight, now time.Time) (time.Duration, bool) {
	if r == nil || r.count < mostRestless || r.left != seen {
		return 0, false
	}
	delay := min(float64(firstRetry)*math.Pow(2, float64(r.count-mostRestless)), float64(lastRetry))
	next := r.at.Add(time.Duration(delay))
	if !r.due.IsZero() && r.due.Before(next) {
		next = r.due
	}
	left := next.Sub(now)
	return left, left > 0
}

// wrote takes in a pass that has written something: what it saw, what it left
// behind, and what Sync wanted. A pass that Sync had asked for at this time may want
// what it likes.
func (r *restlessness) wrote(seen, left sight, answer uint64, requeue time.Duration, now time.Time) {
	asked := !r.due.IsZero() && !now.Before(r.due)
	if r.left == seen && r.answer != 0 && r.answer != answer && !asked {
		r.count++
	}
	r.left, r.answer, r.at, r.due = left, answer, now, time.Time{}
	if requeue > 0 {
		r.due = now.Add(requeue)
	}
}

// noteAnswer takes in what Sync wanted in a pass that succeeded, and tells of it if
// it never wants the same.
func (r *reconciler[P, S, C, D, R]) noteAnswer(ctx context.Context, p *pass, response *Response[D, S], children []child, requeue time.Duration) {
	if len(p.wrote) == 0 {
		p.state.restless = nil
		return
	}
	if p.state.restless == nil {
		p.state.restless = new(restlessness)
	}
	restless := p.state.restless
	var answer uint64
	if restless.left == p.seen { // few ever get here
		answer = p.wants + r.said(response)
	}
	restless.wrote(p.seen, p.leaves(children), answer, requeue, p.now)
	if restless.count < mostRestless || !p.state.said.first("Restless", p.now) {
		return
	}
	text := fmt.Sprintf("Sync wants something else in each pass, although nothing has changed but what it wrote itself (now %s): it is called less and less often until its answer stays the same", listed(p.wrote))
	p.event(corev1.EventTypeWarning, "Restless", cut(text))
	log.FromContext(ctx).Info(text)
}

// said sums up what Sync wants of the parent. Conditions in a status are not the
// author's.
func (r *reconciler[P, S, C, D, R]) said(response *Response[D, S]) uint64 {
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

// leaves sums up what the pass leaves behind, as the next one sees it if nothing
// else changes.
func (p *pass) leaves(children []child) sight {
	objects := make([]client.Object, 0, len(children))
	for _, child := range children {
		if child.object != nil && !p.removed[child.object.GetUID()] {
			objects = append(objects, child.object)
		}
	}
	return sight{fingerprint([][]client.Object{objects}) + fingerprint(p.related), p.parent.GetResourceVersion()}
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
