package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// metricMapping returns the keys of a metric from the status of parents.
func metricMapping(m *Metric) Mapping {
	return Mapping{Name: "metric", pos: &m.Pos, Keys: []Key{
		{Name: "name", Required: true, value: formedText(&m.Name, &metricNameForm), Doc: "the name of the gauge, such as `shop_orders`, unique in the project"},
		{Name: "path", Required: true, value: formedText(&m.Path, &metricPathForm),
			Doc: "path below `.status` to a number, a boolean (1 or 0), a quantity or a time (in seconds since 1970)"},
		{Name: "help", Required: true, value: proseText(&m.Help), Doc: "what the gauge shows, for people"},
	}}
}

const metricNamePattern = `^[a-z][a-z0-9_]*$`

var metricName = lazyregexp.New(metricNamePattern)

// metricNameForm is the form of the name of a metric. The prefixes are those of the metrics that an
// operator has in any case.
var metricNameForm = form{
	pattern: metricNamePattern, expects: "lower-case letters, digits and _", examples: []any{"shop_orders"}, most: 200,
	check: func(name, _ string) (message, hint string) {
		if len(name) > 200 || !metricName().MatchString(name) {
			return quoteShort(name) + " is not the name of a metric", "use lower-case letters, digits and _, such as shop_orders"
		}
		for _, prefix := range []string{"opgen_", "controller_runtime_", "workqueue_", "rest_client_", "leader_election_", "certwatcher_", "go_", "process_"} {
			if strings.HasPrefix(name, prefix) {
				return quoteShort(name) + " begins as metrics of the runtime do, with " + prefix, "begin with the kind, such as shop_orders"
			}
		}
		return "", ""
	},
}

const metricSteps = `\.status` + nameSteps

var metricPath = lazyregexp.New(`^` + metricSteps + `$`)

// metricPathForm is the form of the path of a metric. Package opcheck checks it against the schema of
// the parent.
var metricPathForm = form{
	pattern: `^` + metricSteps + `$`, expects: "a path of fields of the status, such as .status.orders", examples: []any{".status.orders"},
	check: func(text, _ string) (message, hint string) {
		hint = "such as .status.orders"
		switch {
		case metricPath().MatchString(text):
			return "", ""
		case metricPath().MatchString("." + text):
			hint = "a path starts with a dot: ." + text
		case strings.Contains(text, "["):
			hint = "items of lists have no path: have Sync write the number into a field of its own"
		}
		return quoteShort(text) + " is not a path of fields of the status", hint
	},
}

// checkDistinctMetrics adds a problem for metrics with the same name.
func (d *decoder) checkDistinctMetrics(metrics []Metric, path string) {
	seen := map[string]bool{}
	for i, m := range metrics {
		if m.Name != "" && seen[m.Name] {
			d.failAt(m.Pos, indexPath(path, i), "the metric "+m.Name+" is listed twice", "")
		}
		seen[m.Name] = true
	}
}

// metricList accepts a list of metrics.
func metricList(into *[]Metric) value {
	v := listOf(into, metricMapping)
	decode := v.decode
	v.decode = func(d *decoder, n *yaml.Node, path string) {
		decode(d, n, path)
		d.checkDistinctMetrics(*into, path)
	}
	return v
}
