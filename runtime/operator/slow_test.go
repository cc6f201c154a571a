package operator_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// A database that hangs takes the workers of the parents that need it, and no more than half of all.
func TestParentsWhoseSyncHangsLeaveHalfOfTheWorkers(t *testing.T) {
	t.Parallel()
	for name, ignoresContext := range map[string]bool{"until its context ends": false, "and ignores its context": true} {
		t.Run(name, func(t *testing.T) {
			var hanging atomic.Int32
			database := make(chan struct{}) // answers once it is closed
			answers := func(ctx context.Context) error {
				hanging.Add(1)
				defer hanging.Add(-1)
				if ignoresContext {
					<-database
					return nil
				}
				select {
				case <-database:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			c := startCustomIn(t, func(ctx context.Context, req *customRequest) (*Response, error) {
				if req.Parent.Spec.Text == "needs the database" {
					if err := answers(ctx); err != nil {
						return nil, err
					}
				}
				want := new(Desired)
				want.ConfigMaps.Add(configMap(req.Parent.Name, req.Parent.Spec.Text))
				return &Response{Children: want}, nil
			}, nil, func(o *operator.Options) { o.Namespaces, o.Workers = nil, 10 })
			healthy := c.site("healthy")
			c.says(healthy, allReady)
			var needy []*testapi.Site
			for i := range 10 {
				needy = append(needy, c.site(fmt.Sprintf("needy-%d", i)))
			}
			for _, parent := range needy {
				c.says(parent, allReady)
			}
			for _, parent := range needy {
				c.touch(parent, "needs the database")
			}
			c.Eventually("every worker hangs", func() error {
				if n := hanging.Load(); n < 10 {
					return fmt.Errorf("%d do", n)
				}
				return nil
			})
			for _, text := range []string{"during the first hang", "from then on", "and later"} {
				begun := time.Now()
				c.touch(healthy, text)
				c.Eventually("the healthy parent is reconciled", func() error {
					return expectValue(c.Cluster, configMap("healthy", ""), text)
				})
				t.Logf("%s: %s", text, time.Since(begun).Round(time.Millisecond))
			}
			if ignoresContext {
				close(database)
				return
			}
			c.Eventually("half of the workers hang", func() error {
				if n := hanging.Load(); n > 5 {
					return fmt.Errorf("%d calls do", n)
				}
				return nil
			})
			close(database)
			c.Eventually("the others get their turn", func() error {
				for _, parent := range needy {
					if err := expectValue(c.Cluster, configMap(parent.Name, ""), "needs the database"); err != nil {
						return errors.Join(errors.New(parent.Name), err)
					}
				}
				return nil
			})
			c.Converged(healthy)
		})
	}
}
