package operator_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// bomb is a value of a child whose serialization panics.
type bomb struct{ isLit *atomic.Bool }

func (b bomb) MarshalJSON() ([]byte, error) {
	if b.isLit.Load() {
		panic("the bomb goes off")
	}
	return []byte("true"), nil
}

// A panic that no call of Sync has recovered shows to the parent's user, and stops no other parent.
func TestPanicWhileAChildIsSerializedIsReported(t *testing.T) {
	t.Parallel()
	for name, wasReady := range map[string]bool{"of a new parent": false, "of a parent that was ready": true} {
		t.Run(name, func(t *testing.T) {
			var isLit atomic.Bool
			isLit.Store(!wasReady)
			c := addCustom(t, customDesire(func(req *customRequest, want *Desired) {
				account := operator.Unstructured("v1", "ServiceAccount")
				account.SetName(req.Parent.Name)
				if req.Parent.Name == "bad" {
					account.Object["automountServiceAccountToken"] = bomb{&isLit}
				}
				want.Accounts.Add(account)
			}), nil, func(*operator.Options) {})
			bad := c.site("bad")
			if wasReady {
				c.says(bad, allReady)
				isLit.Store(true)
				c.touch(bad, "changed")
			}
			good := c.site("good")
			c.says(good, allReady)
			c.Eventually("Ready says so", func() error {
				c.Get(bad)
				ready := meta.FindStatusCondition(bad.Status.Conditions, "Ready")
				if ready == nil || ready.Status != metav1.ConditionFalse || ready.Reason != "InternalError" || ready.ObservedGeneration != bad.Generation ||
					!strings.Contains(ready.Message, "the bomb goes off") {
					return fmt.Errorf("it is %+v", ready)
				}
				return nil
			})
			c.Eventually("an Event says so", func() error {
				if events := eventsOn(t, c.Cluster, "Site"); len(events) != 1 || !strings.HasPrefix(events[0], "Warning InternalError: panic: ") {
					return fmt.Errorf("events are %q", events)
				}
				return nil
			})
			if n := c.Errors(bad)["InternalError"]; n == 0 {
				t.Errorf("errors are %v", c.Errors(bad))
			}
			isLit.Store(false)
			c.says(bad, allReady) // it is retried by itself
			c.Converged(bad, good)
		})
	}
}
