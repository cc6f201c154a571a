package operator_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRequeueAt(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	in := now.Add
	for name, test := range map[string]struct {
		already  time.Duration // RequeueAfter
		times    []time.Time
		expected time.Duration
	}{
		"no time asks for none":                  {0, nil, 0},
		"a zero time asks for none":              {0, []time.Time{{}, metav1.Time{}.Time}, 0},
		"a time":                                 {0, []time.Time{in(time.Hour)}, time.Hour},
		"the earliest of several":                {0, []time.Time{in(time.Hour), in(time.Minute), in(time.Second * 90)}, time.Minute},
		"a zero time among others":               {0, []time.Time{{}, in(time.Hour), {}}, time.Hour},
		"the time is earlier than RequeueAfter":  {time.Hour, []time.Time{in(time.Minute)}, time.Minute},
		"RequeueAfter is earlier than the time":  {time.Minute, []time.Time{in(time.Hour)}, time.Minute},
		"RequeueAfter stays beside a zero time":  {time.Minute, []time.Time{{}}, time.Minute},
		"a time that has passed is negative":     {0, []time.Time{in(-time.Hour), in(time.Hour)}, -time.Hour},
		"one that has just passed, too":          {time.Second, []time.Time{in(-1)}, -1},
		"now counts as passed":                   {0, []time.Time{in(time.Hour), now}, -1},
		"what has passed stays the earliest":     {-time.Minute, []time.Time{in(time.Second)}, -time.Minute},
		"a time without fractions of a second":   {0, []time.Time{metav1.NewTime(in(1500 * time.Millisecond)).Rfc3339Copy().Time}, time.Second},
		"in another time zone":                   {0, []time.Time{in(time.Hour).In(time.FixedZone("", 7200))}, time.Hour},
		"further away than a duration can count": {0, []time.Time{now.AddDate(1000, 0, 0)}, 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			response := &Response{RequeueAfter: test.already}
			response.RequeueAt(now, test.times...)
			if response.RequeueAfter != test.expected {
				t.Errorf("all at once: RequeueAfter is %s, want %s", response.RequeueAfter, test.expected)
			}
			response = &Response{RequeueAfter: test.already}
			for i := len(test.times) - 1; i >= 0; i-- {
				response.RequeueAt(now, test.times[i])
			}
			if response.RequeueAfter != test.expected {
				t.Errorf("one by one, the last first: RequeueAfter is %s, want %s", response.RequeueAfter, test.expected)
			}
		})
	}
}
