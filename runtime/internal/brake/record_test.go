package brake

import (
	"testing"
	"time"
)

// step is a parent that is to lose children, or a release.
type step struct {
	after   time.Duration // since the step before
	times   int           // parents; 0: a person releases
	allowed int           // of them
}

func TestRecordCounts(t *testing.T) {
	limit := Limit{Least: 20, Percent: 10, Window: 10 * time.Minute}
	for name, test := range map[string]struct {
		parents int
		steps   []step
	}{
		"a small fleet":                        {5, []step{{0, 30, 20}}},
		"a large fleet":                        {1000, []step{{0, 200, 100}}},
		"a fleet just above":                   {219, []step{{0, 30, 21}}},
		"held for good":                        {5, []step{{0, 30, 20}, {24 * time.Hour, 5, 0}}},
		"one now and then":                     {5, []step{{0, 20, 20}, {11 * time.Minute, 20, 20}, {11 * time.Minute, 20, 20}}},
		"a window that slides":                 {5, []step{{0, 10, 10}, {6 * time.Minute, 10, 10}, {5 * time.Minute, 15, 10}}},
		"before the window ends":               {5, []step{{0, 20, 20}, {9 * time.Minute, 1, 0}}},
		"released":                             {5, []step{{0, 30, 20}, {time.Hour, 0, 0}, {0, 500, 500}, {9 * time.Minute, 500, 500}}},
		"another incident after a release":     {5, []step{{0, 30, 20}, {time.Hour, 0, 0}, {0, 500, 500}, {10 * time.Minute, 30, 20}}},
		"a clock that was put back by an hour": {5, []step{{0, 15, 15}, {-time.Hour, 15, 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			now, record := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Record{}
			for i, step := range test.steps {
				now = now.Add(step.after)
				if step.times == 0 {
					record = record.release(now)
				}
				allowed := 0
				for range step.times {
					next, isAllowed, err := record.count(now, limit.Window, func() (int, error) { return limit.of(test.parents), nil })
					if err != nil {
						t.Fatal(err)
					}
					if record = next; isAllowed {
						allowed++
					}
				}
				if allowed != step.allowed {
					t.Errorf("step %d: %d of %d parents may lose children, want %d", i, allowed, step.times, step.allowed)
				}
			}
		})
	}
}
