package poll

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Poll asks about keys. Its fields do not change once it is used.
type Poll struct {
	Every  time.Duration
	Ask    func(ctx context.Context, key any) (any, error) // may run several times at once
	Notify func(parent types.NamespacedName)               // an answer about one of its keys has changed

	mu        sync.Mutex
	keys      map[any]*entry
	parents   map[Parent][]any
	calls     int           // that have not returned
	abandoned int           // of these
	cleanedUp time.Time     // by Put
	changed   chan struct{} // something is due earlier than it was
	running   chan struct{} // has one element while Run runs
}

// Parent names a parent.
type Parent struct {
	Kind any // what tells kinds apart
	Name types.NamespacedName
}

// Answer is the latest answer about a key. Value is the last one that was given, at Time; the zero time:
// there was none. Err is the error of the last call, if that came later.
type Answer struct {
	Value any
	Time  time.Time
	Err   error
}

// entry is a key that a parent has named.
type entry struct {
	Answer
	due      time.Time
	isCalled bool
	parents  map[Parent]bool // that name the key; none if the answer was put and nobody has asked
}

// New returns a Poll that nobody has asked anything.
func New(every time.Duration, ask func(context.Context, any) (any, error), notify func(types.NamespacedName)) *Poll {
	return &Poll{
		Every: every, Ask: ask, Notify: notify,
		keys: map[any]*entry{}, parents: map[Parent][]any{},
		changed: make(chan struct{}, 1), running: make(chan struct{}, 1),
	}
}

// Answers returns the latest answers about keys, in their order. From now on, the parent is reconciled
// when one of them changes, and for no other key that it named before.
func (p *Poll) Answers(parent Parent, keys []any) []Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	former := p.parents[parent]
	p.parents[parent] = keys
	answers := make([]Answer, len(keys))
	for i, key := range keys {
		named := p.entryOf(key)
		named.parents[parent] = true
		answers[i] = named.Answer
	}
	p.removeParent(parent, former, keys)
	return answers
}

// Forget drops a parent and what it alone wants to know.
func (p *Poll) Forget(parent Parent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	former := p.parents[parent]
	delete(p.parents, parent)
	p.removeParent(parent, former, nil)
}

// Put sets the answer about a key that somebody else has found out. If no parent names the key, Run
// drops it after a period, or a later Put does where nothing runs.
func (p *Poll) Put(key any, answer Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer.Time.Sub(p.cleanedUp) >= p.Every {
		p.cleanedUp = answer.Time
		maps.DeleteFunc(p.keys, func(_ any, of *entry) bool { return len(of.parents) == 0 && !of.isCalled && !of.due.After(answer.Time) })
	}
	of := p.entryOf(key)
	of.due = answer.Time.Add(p.Every)
	p.setAnswer(of, answer)
}

// entryOf returns the entry of a key, a new one if there is none.
func (p *Poll) entryOf(key any) *entry {
	found, ok := p.keys[key]
	if !ok {
		found = &entry{parents: map[Parent]bool{}}
		p.keys[key] = found
		p.wakeRun()
	}
	return found
}

// removeParent removes a parent from the entries of keys that it does not name any more.
func (p *Poll) removeParent(parent Parent, former, keys []any) {
	named := map[any]bool{}
	for _, key := range keys {
		named[key] = true
	}
	for _, key := range former {
		if of, ok := p.keys[key]; ok && !named[key] {
			delete(of.parents, parent)
		}
	}
}

// freeSlots returns how many more calls may run.
func (p *Poll) freeSlots() int { return maxCalls + min(p.abandoned, maxAbandoned) - p.calls }

// setAnswer sets the answer of an entry, and notifies its parents if it says something else. One that
// is older than the last is ignored.
func (p *Poll) setAnswer(of *entry, answer Answer) {
	if answer.Time.Before(of.Time) {
		return
	}
	last := of.Answer
	of.Answer = answer
	if last.Time.IsZero() == answer.Time.IsZero() && (last.Err == nil) == (answer.Err == nil) && reflect.DeepEqual(last.Value, answer.Value) {
		return
	}
	for parent := range of.parents {
		p.Notify(parent.Name)
	}
}

// setError sets the error of an entry, which keeps the last answer.
func (p *Poll) setError(of *entry, err error) {
	p.setAnswer(of, Answer{Value: of.Value, Time: of.Time, Err: err})
}

// wakeRun has Run look for keys that are due.
func (p *Poll) wakeRun() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Run asks about the keys until ctx ends, which ends the contexts of the calls, too. count is called with each that is
// abandoned. A second Run waits for the first.
func (p *Poll) Run(ctx context.Context, now func() time.Time, count func()) {
	select {
	case <-ctx.Done():
		return
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	}
	for {
		due, wait := p.takeDue(now())
		for _, key := range due {
			go p.call(ctx, key, now, count)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-p.changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// takeDue returns keys to ask about now, those that wait for longest first, and how long it takes until
// the next one may be due. It drops keys that no parent names.
func (p *Poll) takeDue(now time.Time) (due []any, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait = p.Every
	for key, of := range p.keys {
		switch left := of.due.Sub(now); {
		case left > 0:
			wait = min(wait, left)
		case of.isCalled: // its end wakes Run
		case len(of.parents) == 0:
			delete(p.keys, key)
		default:
			due = append(due, key)
		}
	}
	slices.SortFunc(due, func(a, b any) int { return p.keys[a].due.Compare(p.keys[b].due) })
	if p.freeSlots() == 0 && p.abandoned >= maxAbandoned {
		for _, key := range due {
			p.setError(p.keys[key], errNoSlot)
		}
	}
	due = due[:min(len(due), p.freeSlots())]
	for _, key := range due {
		p.keys[key].isCalled, p.keys[key].due = true, now.Add(p.Every)
	}
	p.calls += len(due)
	return due, wait
}
