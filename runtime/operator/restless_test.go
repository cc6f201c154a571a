package operator

import (
	"testing"
	"time"
)

func TestOnlyAnswersThatDifferForNoReasonCountAsRestless(t *testing.T) {
	for _, test := range []struct {
		name    string
		answer  func(n uint64) uint64
		others  uint64        // somebody else changes something before every nth pass; zero: never
		requeue time.Duration // what Sync asks for
		every   time.Duration // when passes come
		counts  bool
	}{
		{name: "another answer each time", answer: func(n uint64) uint64 { return n }, every: time.Millisecond, counts: true},
		{name: "a rolling update", answer: func(uint64) uint64 { return 1 }, every: time.Millisecond},
		{name: "a rolling update, while others change things", answer: func(n uint64) uint64 { return n % 2 }, others: 2, every: time.Millisecond}, // 0: not known
		{name: "changes of others", answer: func(n uint64) uint64 { return n }, others: 1, every: time.Millisecond},
		{name: "passes that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Second, every: time.Second},
		{name: "echoes before the pass that Sync asks for", answer: func(n uint64) uint64 { return n }, requeue: time.Hour, every: time.Millisecond, counts: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, now := new(restlessness), time.Unix(1000, 0)
			for n := range uint64(20) {
				seen := sight{input: n, parent: "1"}
				if test.others > 0 && n%test.others == 0 {
					seen.parent = "2"
				}
				r.wrote(seen, sight{input: n + 1, parent: "1"}, test.answer(n), test.requeue, now)
				now = now.Add(test.every)
			}
			if counts := r.count > 0; counts != test.counts {
				t.Errorf("counted %d answers, want some: %v", r.count, test.counts)
			}
		})
	}
}

func TestRestlessSyncWaits(t *testing.T) {
	left, at := sight{1, "1"}, time.Unix(1000, 0)
	for _, test := range []struct {
		name  string
		r     *restlessness
		seen  sight
		after time.Duration
		want  time.Duration
	}{
		{name: "at rest", r: nil, seen: left},
		{name: "few answers", r: &restlessness{left: left, at: at, count: mostRestless - 1}, seen: left},
		{name: "many", r: &restlessness{left: left, at: at, count: mostRestless}, seen: left, want: firstRetry},
		{name: "more", r: &restlessness{left: left, at: at, count: mostRestless + 3}, seen: left, want: 8 * firstRetry},
		{name: "no end of them", r: &restlessness{left: left, at: at, count: 1000}, seen: left, want: lastRetry},
		{name: "its time has come", r: &restlessness{left: left, at: at, count: 1000}, seen: left, after: lastRetry},
		{name: "something else changed", r: &restlessness{left: left, at: at, count: 1000}, seen: sight{2, "1"}},
		{name: "Sync asked for a pass", r: &restlessness{left: left, at: at, count: 1000, due: at.Add(time.Minute)}, seen: left, want: time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, waits := test.r.holds(test.seen, at.Add(test.after))
			if waits != (test.want > 0) || waits && got != test.want {
				t.Errorf("waits %v for %s, want %s", waits, got, test.want)
			}
		})
	}
}
