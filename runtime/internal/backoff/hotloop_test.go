package backoff

import (
	"testing"
	"time"
)

func TestHotLoopCountsAnswersThatDifferForNoReason(t *testing.T) {
	for _, test := range []struct {
		name     string
		answer   func(n uint64) uint64
		others   uint64        // somebody else changes something before every nth reconcile; zero: never
		requeue  time.Duration // what Sync asks for
		every    time.Duration // when reconciles come
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
		{name: "reconciles that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Second, every: time.Second},
		{name: "echoes before the reconcile that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Hour, every: time.Millisecond, counts: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, now := new(HotLoop), time.Unix(1000, 0)
			for n := range uint64(20) {
				seen := View{Objects: n, Parent: "1"}
				if test.others > 0 && n%test.others == 0 {
					seen.Parent = "2"
				}
				answer := Answer{Left: View{Objects: n + 1, Parent: "1"}, Children: test.answer(n), WroteChildren: test.progress, Time: now}
				if test.status {
					answer.Children, answer.Parent = 1, test.answer(n)
				}
				if test.requeue > 0 {
					answer.Requeue = now.Add(test.requeue)
				}
				l.Add(seen, answer)
				now = now.Add(test.every)
			}
			if counts := l.count > 0; counts != test.counts {
				t.Errorf("counted %d answers, want some: %v", l.count, test.counts)
			}
		})
	}
}

func TestHotLoopDelays(t *testing.T) {
	left, at := View{Objects: 1, Parent: "1"}, time.Unix(1000, 0)
	for _, test := range []struct {
		name  string
		l     *HotLoop
		seen  View
		after time.Duration
		want  time.Duration
	}{
		{name: "no loop", l: nil, seen: left},
		{name: "few answers", l: &HotLoop{last: Answer{Left: left, Time: at}, count: HotLoops.Free - 1}, seen: left},
		{name: "many", l: &HotLoop{last: Answer{Left: left, Time: at}, count: HotLoops.Free}, seen: left, want: HotLoops.First},
		{name: "more", l: &HotLoop{last: Answer{Left: left, Time: at}, count: HotLoops.Free + 3}, seen: left, want: 8 * HotLoops.First},
		{name: "no end of them", l: &HotLoop{last: Answer{Left: left, Time: at}, count: 1000}, seen: left, want: HotLoops.Longest},
		{name: "its time has come", l: &HotLoop{last: Answer{Left: left, Time: at}, count: 1000}, seen: left, after: HotLoops.Longest},
		{name: "something else changed", l: &HotLoop{last: Answer{Left: left, Time: at}, count: 1000}, seen: View{Objects: 2, Parent: "1"}},
		{name: "Sync asked for a reconcile", l: &HotLoop{last: Answer{Left: left, Time: at, Requeue: at.Add(time.Minute)}, count: 1000}, seen: left, want: time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, waits := test.l.Delay(test.seen, at.Add(test.after))
			if waits != (test.want > 0) || waits && got != test.want {
				t.Errorf("waits %v for %s, want %s", waits, got, test.want)
			}
		})
	}
}
