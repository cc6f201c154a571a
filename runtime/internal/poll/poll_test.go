package poll

import (
	"context"
	"errors"
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
