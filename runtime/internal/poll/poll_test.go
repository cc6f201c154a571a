package poll

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// world is what is polled: the answers by key, and who was notified.
type world struct {
	*Poll
	mu       sync.Mutex
	answers  map[string]string // "!" fails
	calls    []string
	notified []string

	abandonedCalls atomic.Int64
	hang           chan struct{} // lets the calls that hang return
}

// startWorld polls each second, in the time of the test's bubble.
func startWorld(t *testing.T, answers map[string]string) *world {
	w := &world{answers: answers, hang: make(chan struct{})}
	w.Poll = New(time.Second, w.ask, func(parent types.NamespacedName) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.notified = append(w.notified, parent.Name)
	})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go w.Run(ctx, time.Now, func() { w.abandonedCalls.Add(1) })
	return w
}

func (w *world) ask(ctx context.Context, key any) (any, error) {
	w.mu.Lock()
	w.calls = append(w.calls, key.(string))
	answer := w.answers[key.(string)]
	w.mu.Unlock()
	switch answer {
	case "!":
		return nil, errors.New("no answer")
	case "panic":
		panic("at the disco")
	case "hangs":
		<-w.hang
		return "late", nil
	case "exits":
		runtime.Goexit()
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return answer, nil
}

func (w *world) set(key, answer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers[key] = answer
}

// take returns the calls and the notifications since the last take.
func (w *world) take() (calls, notified []string) {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	calls, notified = w.calls, w.notified
	w.calls, w.notified = nil, nil
	slices.Sort(calls)
	slices.Sort(notified)
	return calls, notified
}

// expect waits for a time, and fails the test if there are other calls and notifications meanwhile.
func (w *world) expect(t *testing.T, after time.Duration, calls, notified string) {
	t.Helper()
	time.Sleep(after)
	gotCalls, gotNotified := w.take()
	if got := strings.Join(gotCalls, " "); got != calls {
		t.Errorf("calls: %q, want %q", got, calls)
	}
	if got := strings.Join(gotNotified, " "); got != notified {
		t.Errorf("notified: %q, want %q", got, notified)
	}
}

// read names keys for a parent and returns the values that are known, "-" for an unknown one.
func (w *world) read(parent string, keys ...any) string {
	var values []string
	for _, answer := range w.Answers(Parent{Name: types.NamespacedName{Name: parent}}, keys) {
		value, _ := answer.Value.(string)
		if answer.Time.IsZero() {
			value = "-"
		}
		if answer.Err != nil {
			value += " (" + answer.Err.Error() + ")"
		}
		values = append(values, value)
	}
	return strings.Join(values, ", ")
}

// reads fails the test if the parent web reads other values.
func (w *world) reads(t *testing.T, want string, keys ...any) {
	t.Helper()
	if got := w.read("web", keys...); got != want {
		t.Errorf("it reads %q of %v, want %q", got, keys, want)
	}
}

func bubble(t *testing.T, answers map[string]string, test func(*testing.T, *world)) {
	synctest.Test(t, func(t *testing.T) { test(t, startWorld(t, answers)) })
}

func TestAParentIsNotifiedOfChangesAlone(t *testing.T) {
	bubble(t, map[string]string{"a": "primary"}, func(t *testing.T, w *world) {
		w.reads(t, "-", "a")
		w.expect(t, 0, "a", "web") // at once
		w.reads(t, "primary", "a")
		w.expect(t, 3*time.Second, "a a a", "")
		w.set("a", "replica")
		w.expect(t, time.Second, "a", "web")
		w.reads(t, "replica", "a")
	})
}

func TestAKeyIsAskedAboutOnceForAllParents(t *testing.T) {
	bubble(t, map[string]string{"a": "1", "b": "2"}, func(t *testing.T, w *world) {
		w.read("one", "a")
		w.read("two", "a", "b")
		w.expect(t, 0, "a b", "one two two")
		w.read("two", "b") // no more a
		w.set("a", "3")
		w.expect(t, time.Second, "a b", "one")
		w.Forget(Parent{Name: types.NamespacedName{Name: "one"}})
		w.expect(t, time.Second, "b", "")
		w.Forget(Parent{Name: types.NamespacedName{Name: "two"}})
		w.expect(t, time.Minute, "", "")
	})
}

func TestAnErrorKeepsTheLastAnswer(t *testing.T) {
	bubble(t, map[string]string{"a": "1"}, func(t *testing.T, w *world) {
		w.read("web", "a")
		w.expect(t, 0, "a", "web")
		w.set("a", "!")
		w.expect(t, time.Second, "a", "web")
		w.reads(t, "1 (no answer)", "a")
		w.expect(t, time.Second, "a", "") // fails again
		w.set("a", "panic")
		w.expect(t, time.Second, "a", "")
		w.reads(t, "1 (panic: at the disco)", "a")
		w.set("a", "1")
		w.expect(t, time.Second, "a", "web")
		w.reads(t, "1", "a")
	})
}

// An answer has the time at which its call began. One that takes too long is an error, and delays no
// other key.
func TestASlowAnswerIsAsOldAsItsCall(t *testing.T) {
	bubble(t, map[string]string{"a": "slow", "b": "1"}, func(t *testing.T, w *world) {
		start := time.Now()
		w.read("web", "a", "b")
		w.expect(t, 500*time.Millisecond, "a b", "web")
		w.expect(t, 600*time.Millisecond, "a b", "web") // a has failed
		w.reads(t, "- (context deadline exceeded), 1", "a", "b")
		answer := w.Answers(Parent{Name: types.NamespacedName{Name: "web"}}, []any{"b"})[0]
		if !answer.Time.Equal(start.Add(time.Second)) {
			t.Errorf("the answer is of %v, want %v", answer.Time, start.Add(time.Second))
		}
	})
}

// Keys that get no answer delay the others, and do not keep them from their turn.
func TestManyKeysAreAskedAboutTenAtATime(t *testing.T) {
	bubble(t, map[string]string{}, func(t *testing.T, w *world) {
		var keys []any
		for i := range 25 {
			key := strings.Repeat("k", i+1)
			keys = append(keys, key)
			w.set(key, "slow")
		}
		w.read("web", keys...)
		asked := map[string]bool{}
		for range 3 {
			calls, _ := w.take()
			if len(calls) != 10 {
				t.Errorf("%d calls at once, want 10", len(calls))
			}
			for _, key := range calls {
				asked[key] = true
			}
			time.Sleep(time.Second)
		}
		if len(asked) != len(keys) {
			t.Errorf("%d of %d keys were asked about", len(asked), len(keys))
		}
	})
}

func TestAnAnswerThatIsPutCounts(t *testing.T) {
	bubble(t, map[string]string{"a": "old"}, func(t *testing.T, w *world) {
		w.Put("a", Answer{Value: "new", Time: time.Now()})
		w.Put("nobody", Answer{Value: "new", Time: time.Now()})
		w.reads(t, "new", "a")
		w.expect(t, 500*time.Millisecond, "", "")
		w.Put("a", Answer{Value: "newer", Time: time.Now()})
		w.Put("a", Answer{Value: "older", Time: time.Now().Add(-time.Minute)})
		w.reads(t, "newer", "a")
		w.expect(t, 0, "", "web")
		w.expect(t, 2*time.Second, "a a", "web")
		if len(w.keys) != 1 {
			t.Errorf("%d keys are kept, want the one that a parent names", len(w.keys))
		}
	})
}

// A second Run, as of another controller, waits until the first has ended.
func TestOneRunAtATime(t *testing.T) {
	bubble(t, map[string]string{"a": "1"}, func(t *testing.T, w *world) {
		go w.Run(t.Context(), time.Now, func() {})
		w.read("web", "a")
		w.expect(t, 0, "a", "web")
		w.expect(t, time.Second, "a", "")
	})
}

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
		w.reads(t, "- ("+errNoRoom.Error()+")", "healthy")
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
