package backoff

import (
	"errors"
	"testing"
	"time"
)

func TestFailureIsRetriedEarlyOnlyForAChange(t *testing.T) {
	seen := View{Objects: 1, Parent: "10"}
	no := Failure{Err: errors.New("no"), View: seen}
	with := func(change func(*Failure)) Failure {
		failure := no
		change(&failure)
		return failure
	}
	terminal := with(func(f *Failure) { f.IsTerminal = true })
	requeued := with(func(f *Failure) { f.IsTerminal, f.Requeue = true, time.Hour })
	for _, test := range []struct {
		name    string
		failure Failure
		seen    View
		after   time.Duration
		delayed bool
	}{
		{name: "an echo of the status write", failure: no, seen: seen, delayed: true},
		{name: "its time has come", failure: no, seen: seen, after: time.Second},
		{name: "the parent changed", failure: no, seen: View{Objects: 1, Parent: "11"}},
		{name: "a child changed", failure: no, seen: View{Objects: 2, Parent: "10"}},
		{name: "the name of a child may be free again", failure: with(func(f *Failure) { f.NameConflict = true }), seen: seen},
		{name: "a terminal error, much later", failure: terminal, seen: seen, after: time.Hour, delayed: true},
		{name: "a terminal error, before the requeue", failure: requeued, seen: seen, after: time.Minute, delayed: true},
		{name: "a terminal error, at the requeue", failure: requeued, seen: seen, after: time.Hour},
		{name: "a terminal error, the parent changed", failure: terminal, seen: View{Objects: 1, Parent: "11"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var f Failures
			f.Add(test.failure, start)
			if _, delayed := f.Delay(test.seen, start.Add(test.after)); delayed != test.delayed {
				t.Errorf("delayed = %v, want %v", delayed, test.delayed)
			}
		})
	}
}

// Parents that fail for one reason are not all retried at one moment.
func TestRetriesAreSpread(t *testing.T) {
	delays := map[time.Duration]bool{}
	for range 10 {
		var f Failures
		delays[f.Add(Failure{Err: errors.New("no")}, start)] = true
	}
	if len(delays) < 5 {
		t.Errorf("ten parents are retried after %v", delays)
	}
}

func TestRetriesBackOff(t *testing.T) {
	var f Failures
	failure := Failure{Err: errors.New("no"), View: View{Objects: 1, Parent: "10"}}
	for _, least := range []time.Duration{Retries.First, 2 * Retries.First, 4 * Retries.First} {
		delay := f.Add(failure, start)
		if most := least + least/5; delay < least || delay > most {
			t.Errorf("delay is %s, want between %s and %s", delay, least, most)
		}
	}
	for range 100 {
		f.Add(failure, start)
	}
	if delay := f.Add(failure, start); delay < Retries.Longest || delay > 2*Retries.Longest {
		t.Errorf("delay is %s after many failures, want about %s", delay, Retries.Longest)
	}
}
