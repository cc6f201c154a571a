package poll

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A call that ignores its context keeps no other key from its turn, and its own parents learn of it.
func TestCallsThatDoNotReturnAreAbandoned(t *testing.T) {
	bubble(t, map[string]string{"healthy": "1"}, func(t *testing.T, w *world) {
		var hung []any
		for i := range maxCalls {
			key := fmt.Sprint("hung", i)
			w.set(key, "hangs")
			hung = append(hung, key)
		}
		w.read("stuck", hung...)
		w.take()
		w.reads(t, "-", "healthy")
		time.Sleep(time.Hour)
		calls, _ := w.take()
		healthy := len(calls)
		if healthy < 3590 {
			t.Errorf("a healthy key was asked about %d times in an hour, with a period of 1 s", healthy)
		}
		if got := w.read("stuck", hung[0]); got != "- ("+errAbandoned.Error()+")" {
			t.Errorf("a key whose call hangs has %q", got)
		}
		w.reads(t, "1", "healthy")
		if got := w.abandonedCalls.Load(); got != maxCalls {
			t.Errorf("%d abandoned calls are counted, want %d", got, maxCalls)
		}
		w.set("hung0", "well")
		close(w.hang)
		time.Sleep(2 * time.Second)
		w.take()
		if got := w.read("stuck", hung[0]); got != "well" {
			t.Errorf("after its call has returned, the key has %q", got)
		}
		if w.abandoned != 0 || w.Poll.calls != 0 {
			t.Errorf("%d calls and %d abandoned ones are left", w.Poll.calls, w.abandoned)
		}
	})
}

// If too many calls do not return, no more are made, and the parents of all keys learn of it.
func TestAbandonedCallsAreBounded(t *testing.T) {
	bubble(t, map[string]string{"healthy": "1"}, func(t *testing.T, w *world) {
		var hung []any
		for i := range 300 {
			key := fmt.Sprint("hung", i)
			w.set(key, "hangs")
			hung = append(hung, key)
		}
		w.read("stuck", hung...)
		time.Sleep(10 * time.Minute)
		if calls, _ := w.take(); len(calls) != maxAbandoned+maxCalls {
			t.Errorf("%d calls were made, want %d", len(calls), maxAbandoned+maxCalls)
		}
		w.reads(t, "-", "healthy")
		time.Sleep(10 * time.Second)
		w.reads(t, "- ("+errNoSlot.Error()+")", "healthy")
		w.read("stuck")
		close(w.hang)
		time.Sleep(time.Minute)
		w.reads(t, "1", "healthy")
		if len(w.keys) != 1 {
			t.Errorf("%d keys are kept, want the one that a parent names", len(w.keys))
		}
	})
}

func TestACallThatEndsItsGoroutineIsAnError(t *testing.T) {
	bubble(t, map[string]string{"a": "exits", "b": "1"}, func(t *testing.T, w *world) {
		w.read("web", "a", "b")
		w.expect(t, 20*time.Second, strings.TrimSpace(strings.Repeat("a ", 21)+strings.Repeat("b ", 21)), "web web")
		w.reads(t, "- ("+errNoReturn.Error()+"), 1", "a", "b")
	})
}

// Somebody may push answers in a replica that does not lead, in which nothing runs and no parent names a key.
func TestAnswersThatNobodyAsksForAreDropped(t *testing.T) {
	p := New(time.Second, nil, nil)
	begin := time.Now()
	const puts, between = 200_000, time.Millisecond
	for i := range puts {
		p.Put(i, Answer{Value: i, Time: begin.Add(time.Duration(i) * between)})
	}
	if limit := int(2*time.Second/between) + 1; len(p.keys) > limit {
		t.Errorf("%d of %d keys are kept, want those of two periods at most, which are %d", len(p.keys), puts, limit)
	}
	if got := p.Answers(Parent{}, []any{puts - 1})[0]; got.Value != puts-1 {
		t.Errorf("the last answer is %v", got)
	}
}
