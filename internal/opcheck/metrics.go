package opcheck

import (
	"fmt"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

// gauges are the fields that a metric can show.
var gauges = want{
	isGauge, "a metric is a number, a boolean, a quantity or a time", "write int32, int64, number, bool, quantity or time as its type",
	"have Sync write the number into a field of its own",
}

// Metrics checks the paths of metrics from the status of parents.
func Metrics(op *spec.Operator, parents []kinds.Resource, at map[string]spec.Pos) spec.Problems {
	c := paths{at: at, fallback: op.Pos}
	if len(op.Metrics) > 0 && len(parents) > 1 {
		c.reportAt("operator.metrics", "several kinds share the controller, and a metric has no label for the kind", "leave the key out, or write a controller for each kind")
	}
	for i, m := range op.Metrics {
		for _, p := range parents {
			c.checkPath(p, fmt.Sprintf("operator.metrics[%d].path", i), m.Path, gauges)
		}
	}
	return c.problems
}

func isGauge(s *schema) bool {
	switch s.Type {
	case "integer", "number", "boolean":
		return true
	case "string":
		return s.Format == "date-time" || s.Format == "quantity"
	}
	return s.XIntOrString
}
