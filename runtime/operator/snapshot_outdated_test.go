package operator_test

import (
	"context"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// tellOutdated desires the ConfigMaps a, b and c with the text of the parent, and says in its status
// which of them are outdated.
func tellOutdated(options ...operator.ChildOption) customFunction {
	return func(_ context.Context, req *customRequest) (*Response, error) {
		want, phase := new(Desired), "outdated:"
		for _, name := range []string{"a", "b", "c"} {
			want.ConfigMaps.Add(configMap(name, req.Parent.Spec.Text), options...)
			if req.Children.ConfigMaps.Outdated(name) {
				phase += " " + name
			}
		}
		return &Response{Children: want, Status: &testapi.Status{Phase: phase}}, nil
	}
}

// statusWrites returns how often the status was written since the first n requests.
func (c *custom) statusWrites(n int) (count int) {
	for _, request := range c.Requests()[n:] {
		if strings.HasPrefix(request.String(), "patch sites/status") {
			count++
		}
	}
	return count
}

// Under OnDelete no event follows a change of the desired state, so that the call of Sync which makes
// it has to know already. A new process has to know it without a wrong status in between.
func TestSyncKnowsWhichChildrenAreOutdatedUnderOnDelete(t *testing.T) {
	c := startCustom(t, tellOutdated(operator.OnDelete), nil)
	site := c.site("web")
	c.phase(site, "outdated:")
	c.says(site, allReady)
	before := c.Settled()
	c.touch(site, "two")
	c.phase(site, "outdated: a b c")
	c.Settled()
	if n := c.statusWrites(before); n != 1 {
		t.Errorf("the status was written %d times", n)
	}

	before = c.Settled()
	c.Restart()
	c.Reconciled(site)
	c.Settled()
	if requests := c.Requests()[before:]; len(requests) > 0 {
		t.Errorf("requests after a restart: %v", requests)
	}
	c.phase(site, "outdated: a b c")

	c.Delete(configMap("b", ""))
	c.phase(site, "outdated: a c")
	c.touch(site, "hello") // for a and c, this takes the change back
	c.phase(site, "outdated: b")
	c.Converged(site)
}

func TestSyncKnowsWhichChildrenWaitForTheirTurn(t *testing.T) {
	lags := func(req *customRequest) operator.ChildOption {
		return operator.ReadyIf(req.Parent.Labels["lags"] == "", "lags")
	}
	c := startCustom(t, func(ctx context.Context, req *customRequest) (*Response, error) {
		return tellOutdated(operator.RollingInPlace, lags(req))(ctx, req)
	}, nil)
	site := c.site("web")
	c.says(site, allReady)
	c.Update(site, func() { site.Labels["lags"], site.Spec.Text = "yes", "two" })
	c.phase(site, "outdated: b c")
	c.says(site, "ConfigMap a lags; ConfigMap b is outdated and waits for its turn; ConfigMap c is outdated and waits for its turn")
	c.Restart()
	c.Reconciled(site)
	c.phase(site, "outdated: b c")
	c.Update(site, func() { delete(site.Labels, "lags") })
	c.phase(site, "outdated:")
	c.says(site, allReady)
	c.Converged(site)
}

// A change that is applied at once leaves no child outdated, and neither do strategies that carry no hash.
func TestSyncKnowsThatNoChildIsLeftOutdated(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]operator.ChildOption{"InPlace": operator.InPlace, "Recreate": operator.Recreate, "CreateOnly": operator.CreateOnly} {
		t.Run(name, func(t *testing.T) {
			c := startCustom(t, tellOutdated(option), nil)
			site := c.site("web")
			c.says(site, allReady)
			c.touch(site, "two")
			c.Settled()
			c.phase(site, "outdated:")
			c.says(site, allReady)
			c.Converged(site)
		})
	}
}
