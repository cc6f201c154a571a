package reconcile

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

// createsAtOnce is how many children of a parent are created at once.
const createsAtOnce = 8

// attempt is the first apply of a child that does not exist.
type attempt struct {
	outcome   apply.Outcome
	err       error
	state     *apply.AppliedState // of the child alone
	isRefused bool                // although others were created, so that another attempt is due
}

// attempts are those that were made at once and whose results are not recorded yet.
type attempts struct {
	made map[apply.Key]attempt
	next int // the index of the task after them
}

// createTogether makes the first attempts of tasks at once, from an index on: of children of one kind, as
// far as they follow each other, do not exist, and wait for nothing.
//
// The results are those of attempts one after the other. A child that the API server refuses beside
// others that it creates may have needed one of them: it is tried again in its turn.
func (b *batch) createTogether(ctx context.Context, from int) attempts {
	together := b.tasks[from:min(len(b.tasks), from+createsAtOnce)]
	for i, t := range together {
		if t.observed != nil || t.kind != together[0].kind || len(t.replaces) > 0 || b.isBlocked(t) {
			together = together[:i]
			break
		}
	}
	made := make([]attempt, len(together))
	var running sync.WaitGroup
	for i, t := range together {
		made[i].state = b.run.state.applied.Copy(t.Key())
		running.Go(func() {
			made[i].outcome, made[i].err = recoverPanic(ctx, func() (apply.Outcome, error) {
				return t.kind.applier.ApplyChild(ctx, b.run.now, made[i].state, t.Desired, nil)
			})
		})
	}
	running.Wait()
	hasCreated := slices.ContainsFunc(made, func(a attempt) bool { return a.outcome.Action == apply.Created })
	results := map[apply.Key]attempt{}
	for i, t := range together {
		made[i].isRefused = hasCreated && wasRefused(made[i].err)
		results[t.Key()] = made[i]
	}
	return attempts{results, from + len(together)}
}

// wasRefused reports whether the API server has just refused a child for what it is.
func wasRefused(err error) bool {
	return err != nil && !isReplayed(err) && isRefusal(err) && !errors.As(err, new(apply.ErrUnobserved)) && !isStale(err)
}

// take returns the attempt of a task, and records the state of the child. It returns nil if another
// attempt is due.
func (a attempts) take(r *run, t task) *attempt {
	result, wasMade := a.made[t.Key()]
	if !wasMade {
		return nil
	}
	delete(a.made, t.Key())
	r.state.applied.Put(result.state)
	if result.isRefused {
		r.state.applied.RetryNow(t.Key())
		return nil
	}
	return &result
}

// recordRest records the children that were created beside one that ends the reconcile.
func (a attempts) recordRest(ctx context.Context, r *run, tasks []task) {
	for _, t := range tasks {
		if result := a.take(r, t); result != nil && result.err == nil {
			r.recordOutcome(ctx, t, result.outcome)
		}
	}
}

// mayFail is how many errors that often pass by themselves end the writes of a reconcile. An API server
// that does not answer would take the worker's time for each child.
const mayFail = 3

// isStopped reports whether no further child is written in this reconcile.
func (done applied) isStopped() bool {
	n := 0
	for _, failed := range done.failed {
		if backoff.IsTransient(failed.err) && !isReplayed(failed.err) {
			n++
		}
	}
	return n >= mayFail
}

// turns says when the reconciles of a parent, which too many errors have stopped, last came to each child.
// The zero value is that of a parent whose last reconcile came to all of them.
type turns struct {
	reconciles int
	last       map[apply.Key]int
}

// end records a reconcile that has come to some of the tasks only, and otherwise forgets all.
func (t *turns) end(tried []task, isStopped bool) {
	if !isStopped {
		*t = turns{}
		return
	}
	if t.last == nil {
		t.last = map[apply.Key]int{}
	}
	t.reconciles++
	for _, task := range tried {
		t.last[task.Key()] = t.reconciles
	}
}

// sort returns the tasks with those before the others that no reconcile has come to for longest. Children
// whose requests succeed do not wait behind those whose requests fail.
func (t *turns) sort(tasks []task) []task {
	if t.last != nil {
		slices.SortStableFunc(tasks, func(a, b task) int { return t.last[a.Key()] - t.last[b.Key()] })
	}
	return tasks
}
