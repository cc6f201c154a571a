package operator

import (
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/backoff"
)

func TestOnlyAnswersThatDifferForNoReasonCountAsHotLoop(t *testing.T) {
	for _, test := range []struct {
		name     string
		answer   func(n uint64) uint64
		others   uint64        // somebody else changes something before every nth pass; zero: never
		requeue  time.Duration // what Sync asks for
		every    time.Duration // when passes come
		status   bool          // the answer is about the parent
		progress bool          // the runtime writes a child each time
		counts   bool
	}{
		{name: "another answer each time", answer: func(n uint64) uint64 { return n }, every: time.Millisecond, counts: true},
		{name: "a rolling update", answer: func(uint64) uint64 { return 1 }, every: time.Millisecond},
		{name: "a rolling update that follows changes of others", answer: func(n uint64) uint64 { return n / 2 }, others: 2, every: time.Millisecond},
		{name: "another status each time", answer: func(n uint64) uint64 { return n }, every: time.Millisecond, status: true, counts: true},
		{name: "a status that tells of a rolling update", answer: func(n uint64) uint64 { return n }, every: time.Millisecond, status: true, progress: true},
		{name: "changes of others", answer: func(n uint64) uint64 { return n }, others: 1, every: time.Millisecond},
		{name: "passes that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Second, every: time.Second},
		{name: "echoes before the pass that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Hour, every: time.Millisecond, counts: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, now := new(hotLoop), time.Unix(1000, 0)
			for n := range uint64(20) {
				seen := sight{input: n, parent: "1"}
				if test.others > 0 && n%test.others == 0 {
					seen.parent = "2"
				}
				answer := hotLoop{left: sight{input: n + 1, parent: "1"}, children: test.answer(n), progress: test.progress, at: now}
				if test.status {
					answer.children, answer.parent = 1, test.answer(n)
				}
				l.wrote(seen, answer, test.requeue)
				now = now.Add(test.every)
			}
			if counts := l.count > 0; counts != test.counts {
				t.Errorf("counted %d answers, want some: %v", l.count, test.counts)
			}
		})
	}
}

func TestHotLoopWaits(t *testing.T) {
	left, at := sight{1, "1"}, time.Unix(1000, 0)
	for _, test := range []struct {
		name  string
		l     *hotLoop
		seen  sight
		after time.Duration
		want  time.Duration
	}{
		{name: "no loop", l: nil, seen: left},
		{name: "few answers", l: &hotLoop{left: left, at: at, count: backoff.HotLoops.Free - 1}, seen: left},
		{name: "many", l: &hotLoop{left: left, at: at, count: backoff.HotLoops.Free}, seen: left, want: backoff.HotLoops.First},
		{name: "more", l: &hotLoop{left: left, at: at, count: backoff.HotLoops.Free + 3}, seen: left, want: 8 * backoff.HotLoops.First},
		{name: "no end of them", l: &hotLoop{left: left, at: at, count: 1000}, seen: left, want: backoff.HotLoops.Longest},
		{name: "its time has come", l: &hotLoop{left: left, at: at, count: 1000}, seen: left, after: backoff.HotLoops.Longest},
		{name: "something else changed", l: &hotLoop{left: left, at: at, count: 1000}, seen: sight{2, "1"}},
		{name: "Sync asked for a pass", l: &hotLoop{left: left, at: at, count: 1000, due: at.Add(time.Minute)}, seen: left, want: time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, waits := test.l.holds(test.seen, at.Add(test.after))
			if waits != (test.want > 0) || waits && got != test.want {
				t.Errorf("waits %v for %s, want %s", waits, got, test.want)
			}
		})
	}
}
