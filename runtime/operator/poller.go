package operator

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/poll"
	"github.com/opgen-dev/opgen/runtime/internal/process"
)

// Poller asks something outside of the cluster about keys, such as each database which role it has: once
// in a period, off the workers, and up to ten at once. Sync reads the latest answers, which costs no
// time, and is called when one of them has changed. [NewPoller] makes it, and [WithTriggers] gives it to
// a controller.
type Poller[K comparable, V any] struct {
	polled poll.Source
}

// Answer is the latest answer of a [Poller] about a key.
type Answer[V any] struct {
	// Value is what was answered last without an error, and Time when that was asked. The zero Time says
	// that there was no answer yet: so it is after a restart of the operator, too.
	Value V
	Time  time.Time
	// Err is why the latest call failed; nil if it did not.
	Err error
}

// IsFresh reports whether the answer is from the last d before now, which is the Now of the request. A
// decision that must not go by an old answer, such as a failover, waits until it is.
func (a Answer[V]) IsFresh(now time.Time, d time.Duration) bool {
	return !a.Time.IsZero() && now.Sub(a.Time) <= d
}

// NewPoller returns a Poller that calls ask once in a period for every key that a parent reads. The
// context of a call ends after a period. An error is part of the [Answer]. A panic is one, and so is a
// call that has not returned a second after its context has ended. Such a call is abandoned: up to 100 of
// them take no room from others, and its key is asked about again once it has returned. NewPoller panics
// if the period is not more than zero.
func NewPoller[K comparable, V any](period time.Duration, ask func(ctx context.Context, key K) (V, error)) *Poller[K, V] {
	if period <= 0 {
		panic(fmt.Sprintf("operator.NewPoller: the period is %s, and must be more than zero", period))
	}
	p := new(Poller[K, V])
	p.polled.Poll = poll.New(period, func(ctx context.Context, key any) (any, error) { return ask(ctx, key.(K)) }, p.polled.Reconcile)
	return p
}

// Answers returns the latest answers about keys, by key, at once. From then on, the keys are asked about
// for this parent, and no others: a Sync reads all that it needs in one call. The parent is reconciled
// when an answer about one of them differs from the last, begins to fail, or succeeds again.
func (p *Poller[K, V]) Answers(parent client.Object, keys ...K) map[K]Answer[V] {
	untyped := make([]any, len(keys))
	for i, key := range keys {
		untyped[i] = key
	}
	answers := map[K]Answer[V]{}
	for i, answer := range p.polled.AnswersFor(parent, untyped) {
		value, _ := answer.Value.(V)
		answers[keys[i]] = Answer[V]{Value: value, Time: answer.Time, Err: answer.Err}
	}
	return answers
}

// Put sets the answer about a key that somebody has found out at a time: a server that pushes, or a test
// of Sync in which nothing is asked. The parents that read the key are reconciled if it has changed.
func (p *Poller[K, V]) Put(key K, value V, at time.Time) {
	p.polled.Put(key, poll.Answer{Value: value, Time: at})
}

func (p *Poller[K, V]) source() process.Source { return &p.polled }
