package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// A Poller without a period would ask all the time.
func TestPollerNeedsAPeriod(t *testing.T) {
	for _, period := range []time.Duration{0, -time.Second} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "operator.NewPoller: the period is "+period.String()+", and must be more than zero") {
					t.Errorf("a period of %s: %s", period, said)
				}
			}()
			operator.NewPoller(period, func(context.Context, string) (int, error) { return 0, nil })
		}()
	}
}
