package operator_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// A start reconciles every parent, at a low priority. What a parent has asked for is due meanwhile.
func TestTimerDoesNotWaitForAllParentsOfAStart(t *testing.T) {
	const parents = 40
	var mu sync.Mutex
	var calls []string // after the restart; nil before it
	isMeasured := false
	answer := func(_ context.Context, req *customRequest) (*Response, error) {
		mu.Lock()
		defer mu.Unlock()
		response := &Response{Status: &testapi.Status{Phase: "Synced"}}
		if !isMeasured {
			return response, nil
		}
		if calls = append(calls, req.Parent.Name); len(calls) == 1 {
			response.RequeueAfter = 100 * time.Millisecond
		}
		time.Sleep(50 * time.Millisecond)
		return response, nil
	}
	c := startCustomIn(t, answer, nil, func(o *operator.Options) { o.Namespaces, o.Workers = nil, 1 })
	for n := range parents {
		c.site(fmt.Sprintf("web-%02d", n))
	}
	c.Settled()
	c.Stop()
	mu.Lock()
	isMeasured = true
	mu.Unlock()
	c.Restart()
	c.Eventually("the timer is over", func() error {
		mu.Lock()
		defer mu.Unlock()
		for n, name := range calls {
			if n == 0 || name != calls[0] {
				continue
			}
			if n >= parents {
				t.Errorf("%d parents were reconciled before the one whose time had come", n)
			}
			return nil
		}
		return errors.New("it is not")
	})
}
