package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// report is what came of bringing the children to their desired state.
type report struct {
	children []child // those that are desired or kept, as known now
	stale    bool    // something had changed meanwhile: look again
	waiting  bool    // a child waits for another, so the answer is not carried out yet
	err      error
}

// child is an object and its kind, which the object itself may not say.
type child struct {
	*childKind
	name     types.NamespacedName
	object   client.Object     // not to be changed; nil while it waits to be made
	replaced bool              // about to be deleted, to be created anew
	waits    string            // why it is not written, as in "waits for Pod a"; empty when it is
	health   health.Health     // when it was applied; zero when it was not, in this pass
	conflict *backoff.Conflict // why it is not written yet; nil when it is, or needs not be
	altered  []string          // the paths at which admission keeps other values than desired
}

func (c child) key() apply.Key { return apply.Key{Kind: c.GroupVersionKind, Name: c.name} }

// carryOut brings the children to the desired state. Each is applied whatever
// becomes of the others. Nothing is deleted if Sync did not succeed, and
// nothing is pruned if a child is not valid, could not be applied or waits for another.
func (p *pass) carryOut(ctx context.Context, kinds []ChildKind, finalizes, succeeded bool) report {
	plan, wrong := p.plan(kinds)
	if wrong == nil {
		p.recordDesired(plan)
	}
	stale, err := p.settleFinalizer(ctx, finalizes || p.needsFinalizer(plan))
	if stale || err != nil {
		return report{children: p.all(), stale: stale, err: errors.Join(wrong, err)}
	}
	done := p.applyAll(ctx, plan.tasks)
	done.err = errors.Join(wrong, done.err)
	p.recordApplied(done)
	var replaced []child
	for _, child := range done.children {
		if child.replaced {
			replaced = append(replaced, child)
		}
	}
	if wrong != nil {
		return done
	}
	pruned, kept := p.leftOver(plan)
	done.children = append(done.children, kept...)
	switch {
	case !succeeded || done.stale:
		return done
	case done.err != nil || done.waiting:
		pruned = nil
	}
	stale, err = p.remove(ctx, append(replaced, pruned...))
	done.stale, done.err = stale, errors.Join(done.err, err)
	return done
}

// leaveAlone is carryOut where the author leaves the children as they are.
func (p *pass) leaveAlone(ctx context.Context, finalizes bool) report {
	stale, err := p.settleFinalizer(ctx, finalizes || p.needsFinalizer(plan{}))
	return report{children: p.all(), stale: stale, err: err}
}

// applyAll applies the tasks, in their order.
func (p *pass) applyAll(ctx context.Context, tasks []task) report {
	var done report
	turns := p.turns(tasks)
	ready, queues := map[apply.Key]bool{}, map[apply.Key]bool{}
	for _, task := range tasks {
		result := child{childKind: task.kind, name: task.Name, object: task.live}
		why, waits := p.holds(task, turns, ready, queues)
		if waits || why == "" && task.replaces() {
			result.waits, done.waiting = why, done.waiting || waits
			result.replaced = !waits
			done.children = append(done.children, result)
			continue
		}
		outcome, err := p.apply(ctx, task, why != "")
		switch {
		case errors.As(err, new(apply.ErrStale)):
			done.stale, p.conflict = true, errChild{task.Key(), err}
			continue
		case err != nil:
			done.err = errors.Join(done.err, errChild{task.Key(), err})
			continue
		case why != "":
			result.object, result.waits, result.conflict = outcome.Object, why, outcome.Conflict
			queues[task.Key()] = p.healthy(task)
			done.children = append(done.children, result)
			continue
		case outcome.Action == apply.Replace && p.waitsToGo(task, tasks, turns, done.children):
			result.waits, queues[task.Key()] = "has drifted and waits for its turn", p.healthy(task)
			done.children = append(done.children, result)
			continue
		}
		result.object, result.replaced, result.conflict = outcome.Object, outcome.Action == apply.Replace, outcome.Conflict
		result.altered = outcome.Altered
		if outcome.Object != nil {
			result.health = p.healthOf(task.kind, outcome.Object)
		}
		ready[task.Key()] = !result.replaced && result.conflict == nil && result.health.State == health.Ready
		done.children = append(done.children, result)
	}
	return done
}

// holds says why a task is not carried out in this pass, if it is not, and
// whether the answer is incomplete because of it. Among children of a kind that
// rolls, one that queues for its turn in good health is as good as ready: that
// they come one after the other says in which order they are made, and a roll has
// an order of its own.
func (p *pass) holds(t task, turns map[schema.GroupVersionKind]apply.Key, ready, queues map[apply.Key]bool) (why string, waits bool) {
	for _, key := range t.after {
		asGood := t.rolls() && key.Kind == t.Kind && queues[key]
		if !ready[key] && !asGood {
			return "waits for " + key.String(), true
		}
	}
	if t.rolls() && !t.replaces() && p.outdated(t) && turns[t.Kind] != t.Key() {
		return "is outdated and waits for its turn", false
	}
	return "", false
}

// replaces tells whether a child is to be deleted because Sync says so.
func (t task) replaces() bool {
	return t.replace && t.live != nil && t.live.GetDeletionTimestamp() == nil
}

// apply brings a child to its desired state. One that queues for its turn gets no
// more than what makes it the parent's.
func (p *pass) apply(ctx context.Context, t task, queues bool) (apply.Outcome, error) {
	do := t.kind.applier.Do
	if queues {
		do = t.kind.applier.Own
	}
	outcome, err := do(ctx, p.now, &p.state.memo, t.Desired, t.live)
	if p.isFree(ctx, t, err) {
		p.state.memo.RetryNow(t.Key())
		outcome, err = do(ctx, p.now, &p.state.memo, t.Desired, t.live)
	}
	if taken, ok := errors.AsType[apply.ErrTaken](err); ok && !isReplayed(err) && p.lost(taken.Live) {
		outcome, err = p.takeBack(ctx, t, taken.Live)
	}
	if err != nil {
		return outcome, err
	}
	if outcome.Drift {
		p.metrics.CountDrift(p.name, t.Kind.Kind)
	}
	if outcome.Action == apply.Created || outcome.Action == apply.Updated || outcome.Action == apply.Adopted {
		p.state.writes.Wrote(&t.kind.written, outcome.Object, p.now)
		if read := p.readAs(t.kind); read != nil {
			p.state.writes.Wrote(read, outcome.Object, p.now)
		}
		key := t.Key().String()
		p.hasWritten(key, outcome.Object)
		p.metrics.CountWrite(p.name, t.Kind.Kind, string(outcome.Action))
		log.FromContext(ctx).V(1).Info("applied a child", "child", key, "action", outcome.Action, "drift", outcome.Drift)
	}
	return outcome, nil
}

// hasWritten notes a child as the pass left it.
func (p *pass) hasWritten(key string, object client.Object) {
	p.wrote = append(p.wrote, key)
	if p.made == nil {
		p.made = map[types.UID]client.Object{}
	}
	p.made[object.GetUID()] = object
}

// isFree reports whether the name of a child that was found to be taken is free again, as
// far as the cache can tell: it held the object that had the name, and does so no more.
func (p *pass) isFree(ctx context.Context, t task, err error) bool {
	taken, ok := errors.AsType[apply.ErrTaken](err)
	if !ok || !isReplayed(err) || !p.offspring.holds(taken.Live) {
		return false
	}
	cached := t.kind.cached.DeepCopyObject().(client.Object)
	return apierrors.IsNotFound(p.offspring.Get(ctx, t.Name, cached))
}

// isReplayed reports whether an error is that of a write which is not due again.
func isReplayed(err error) bool {
	failed, ok := errors.AsType[backoff.Failed](err)
	return ok && failed.Replayed
}

// leftOver splits the observed children that are not desired into those to
// prune and those to keep, and has the memo forget them.
func (p *pass) leftOver(plan plan) (pruned, kept []child) {
	desired := map[apply.Key]bool{}
	for _, task := range plan.tasks {
		desired[task.Key()] = true
	}
	for _, child := range p.all() {
		switch key := child.key(); {
		case plan.keep[key] && !desired[key]:
			kept = append(kept, child)
		case !desired[key] && child.object.GetDeletionTimestamp() == nil:
			pruned = append(pruned, child)
		}
	}
	p.state.memo.Keep(p.now, desired)
	return pruned, kept
}

// all returns every observed child, kind by kind, in the order of their names: the
// cache has none, and messages name children.
func (p *pass) all() []child {
	n := 0
	for _, objects := range p.observed {
		n += len(objects)
	}
	all := make([]child, 0, n)
	for i, objects := range p.observed {
		for _, object := range objects {
			all = append(all, childOf(p.children[i], object))
		}
		slices.SortFunc(all[len(all)-len(objects):], func(a, b child) int {
			return cmp.Or(strings.Compare(a.name.Namespace, b.name.Namespace), strings.Compare(a.name.Name, b.name.Name))
		})
	}
	return all
}

func childOf(kind *childKind, object client.Object) child {
	return child{childKind: kind, name: client.ObjectKeyFromObject(object), object: object}
}

// kept reads the name of a child to keep: with a namespace, or without where
// there is none or the parent's is meant.
func (p *pass) kept(kind *childKind, name string) (apply.Key, error) {
	said := identity{name: types.NamespacedName{Name: name}}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		said.name = types.NamespacedName{Namespace: namespace, Name: name}
	}
	whole, err := p.identify(kind, said)
	if err != nil {
		return apply.Key{}, fmt.Errorf("keep %q: %w", name, err)
	}
	return apply.Key{Kind: kind.GroupVersionKind, Name: whole}, nil
}

func byName(objects []client.Object) map[types.NamespacedName]client.Object {
	named := make(map[types.NamespacedName]client.Object, len(objects))
	for _, object := range objects {
		named[client.ObjectKeyFromObject(object)] = object
	}
	return named
}
