package instance

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// A check is made again when what it has read has changed, and seldom otherwise.
func TestPollChecksAgainWhenSomethingChanges(t *testing.T) {
	pods := schema.GroupKind{Kind: "Pod"}
	web, other := types.NamespacedName{Name: "web"}, types.NamespacedName{Name: "other"}
	for _, test := range []struct {
		name   string
		reads  bool // the check reads the Pod web
		change func(*changes)
		atMost time.Duration // until the check that follows the change
		least  time.Duration
	}{
		{"the object", true, func(c *changes) { c.noteObject(pods, web) }, 20 * time.Millisecond, 0},
		{"another object", true, func(c *changes) { c.noteObject(pods, other) }, 200 * time.Millisecond, 40 * time.Millisecond},
		{"a request", true, (*changes).note, 200 * time.Millisecond, 40 * time.Millisecond},
		{"an object, and the check has read none", false, func(c *changes) { c.noteObject(pods, other) }, 20 * time.Millisecond, 0},
		{"a request, and the check has read none", false, (*changes).note, 20 * time.Millisecond, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var c changes
				var changed time.Time
				go func() {
					time.Sleep(1050 * time.Millisecond)
					changed = time.Now()
					test.change(&c)
				}()
				checks := 0
				done := c.poll(time.Now().Add(time.Minute), 20*time.Millisecond, 200*time.Millisecond, func() bool {
					checks++
					if test.reads {
						c.noteRead(pods, web)
					}
					return !changed.IsZero()
				})
				took := time.Since(changed)
				if !done || took > test.atMost || took < test.least {
					t.Errorf("done: %v, %s after the change, want %s to %s", done, took, test.least, test.atMost)
				}
				if checks > 12 {
					t.Errorf("%d checks in a second in which nothing has happened", checks)
				}
			})
		})
	}
}

func TestPollEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c changes
		begun := time.Now()
		if c.poll(begun.Add(time.Second), 20*time.Millisecond, 200*time.Millisecond, func() bool { return false }) {
			t.Error("done, although the check is not")
		}
		if took := time.Since(begun); took > 1200*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}
