package backoff

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	start     = time.Unix(1e9, 0)
	refusal   = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New("no"))
	transient = apierrors.NewInternalError(errors.New("etcd is away"))
)

func TestWaits(t *testing.T) {
	for _, test := range []struct {
		settings    Settings
		repetitions int
		want        time.Duration
	}{
		{Writes, 0, 0}, {Writes, 1, 0}, {Writes, 2, 10 * time.Second}, {Writes, 3, 20 * time.Second}, {Writes, 6, 160 * time.Second},
		{Writes, 7, 5 * time.Minute}, {Writes, 1 << 40, 5 * time.Minute},
		{Retries, 0, 200 * time.Millisecond}, {Retries, 2, 800 * time.Millisecond}, {Retries, 100, 5 * time.Minute},
		{HotLoops, HotLoops.Free - 1, 0}, {HotLoops, HotLoops.Free, 10 * time.Second},
	} {
		if got := test.settings.Wait(test.repetitions); got != test.want {
			t.Errorf("after %d repetitions of %+v the wait is %s, want %s", test.repetitions, test.settings, got, test.want)
		}
	}
}

func TestFailedWrites(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		waits []time.Duration
	}{
		"refused":   {refusal, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 10 * time.Second, 20 * time.Second, 40 * time.Second}},
		"transient": {transient, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			var b Budget
			now := start
			for _, wait := range test.waits {
				if err := b.Replay(now, "one", ""); err != nil {
					t.Fatalf("the next attempt is held: %v", err)
				}
				failed, ok := errors.AsType[Failed](b.Fail(now, "one", "", test.err))
				if !ok || failed.Retry.Sub(now) != wait {
					t.Errorf("%+v, want a retry after %s", failed, wait)
				}
				now = failed.Retry
				if err := b.Replay(now.Add(-1), "one", ""); !errors.Is(err, test.err) {
					t.Errorf("before its time the error is %v", err)
				}
				if err := errors.Join(b.Replay(now.Add(-1), "two", ""), b.Replay(now.Add(-1), "one", "another UID")); err != nil {
					t.Errorf("another desired state, or another object, is held: %v", err)
				}
			}
			b.Succeeded()
			if failed, _ := errors.AsType[Failed](b.Fail(now, "one", "", test.err)); failed.Attempts != 1 {
				t.Errorf("after a success it is attempt %d", failed.Attempts)
			}
		})
	}
}

func TestConflictsAreAnErrorInTheEnd(t *testing.T) {
	var b Budget
	for range Conflicts.Free {
		if err := b.Conflicted(start, "one", "", refusal); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Conflicted(start, "one", "", refusal); err == nil || err.Error() != "conflicts in 10 attempts in a row: "+refusal.Error() {
		t.Errorf("the error is %v", err)
	}
	if !b.IsIdle(start.Add(time.Hour)) || b.IsIdle(start.Add(time.Minute)) {
		t.Error("it is not idle once nobody tries any more")
	}
}

func TestYoungErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		failed Failed
		after  time.Duration
		young  bool
	}{
		{"the first", Failed{Err: transient, Attempts: 1, First: start}, 0, true},
		{"the second", Failed{Err: transient, Attempts: 2, First: start}, time.Second, true},
		{"the third", Failed{Err: transient, Attempts: 3, First: start}, time.Second, false},
		{"one that took long", Failed{Err: transient, Attempts: 1, First: start}, 10 * time.Second, false},
		{"a refusal", Failed{Err: refusal, Attempts: 1, First: start}, 0, false},
	} {
		if young := test.failed.IsYoung(start.Add(test.after)); young != test.young {
			t.Errorf("%s: young = %v", test.name, young)
		}
	}
}

func TestFailedIn(t *testing.T) {
	one, two := Failed{Err: refusal, Attempts: 1}, Failed{Err: transient, Attempts: 2}
	for _, test := range []struct {
		name  string
		err   error
		count int
		alone bool
	}{
		{"nothing", nil, 0, false},
		{"another error", transient, 0, false},
		{"one", one, 1, true},
		{"one, with context", fmt.Errorf("Pod web: %w", one), 1, true},
		{"several", fmt.Errorf("children: %w", errors.Join(one, fmt.Errorf("Pod web: %w", two))), 2, true},
		{"another beside", errors.Join(one, errors.New("no")), 1, false},
	} {
		if all, alone := FailedIn(test.err); len(all) != test.count || alone != test.alone {
			t.Errorf("%s: %v, alone %v", test.name, all, alone)
		}
	}
}

func TestTransientErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{transient, true},
		{fmt.Errorf("write: %w", transient), true},
		{apierrors.NewServiceUnavailable(""), true},
		{apierrors.NewTooManyRequests("", 1), true},
		{apierrors.NewTimeoutError("", 1), true},
		{apierrors.NewServerTimeout(schema.GroupResource{}, "get", 1), true},
		{&url.Error{Op: "Patch", Err: errors.New("connection refused")}, true},
		{context.DeadlineExceeded, true},
		{refusal, false},
		{apierrors.NewRequestEntityTooLargeError(""), false},
		{apierrors.NewConflict(schema.GroupResource{}, "web", nil), false},
		{errors.New("exists already"), false},
	} {
		if got := IsTransient(test.err); got != test.want {
			t.Errorf("%v: transient = %v", test.err, got)
		}
	}
}

// The first write that does not last after writes that failed is the first of its kind.
func TestFailedWritesAreNoRepetition(t *testing.T) {
	var b Budget
	now := start
	for range 6 {
		failed, _ := errors.AsType[Failed](b.Fail(now, "one", "", refusal))
		now = failed.Retry
	}
	explain := func() (Conflict, error) { return Conflict{Deleted: true}, nil }
	b.RetryNow()
	if conflict, _ := b.Delay(now, explain); conflict != nil {
		t.Errorf("a write that failed counts as one that did not last: %+v", conflict)
	}
	b.Succeeded()
	for i := range 3 {
		conflict, _ := b.Delay(now, explain)
		if isThird := i == 2; isThird != (conflict != nil) {
			t.Errorf("repetition %d: %+v", i, conflict)
		}
		if conflict == nil {
			b.Spend(now)
		}
	}
}
