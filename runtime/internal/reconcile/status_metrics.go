package reconcile

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/objectfields"
)

// statusMetrics collects the gauges from the status of parents. It reads the cache at each scrape and
// remembers nothing, so that a gauge goes with its parent.
type statusMetrics struct {
	metrics []declared.Metric
	shapes  []*prometheus.Desc // of the metrics
	parents func(context.Context) ([]client.Object, error)
	isOf    func(client.Object) bool // whether an object is a parent of the operator
	works   atomic.Bool              // the controller has started: another replica shows them otherwise
}

func (l *loop) newStatusMetrics() *statusMetrics {
	made := &statusMetrics{metrics: l.definition.Metrics, parents: l.listParents, isOf: l.isParent}
	for _, metric := range made.metrics {
		made.shapes = append(made.shapes, prometheus.NewDesc(metric.Name, metric.Help, []string{"namespace", "name"}, nil))
	}
	return made
}

// Describe sends what the gauges are.
func (m *statusMetrics) Describe(shapes chan<- *prometheus.Desc) {
	for _, shape := range m.shapes {
		shapes <- shape
	}
}

// Collect sends a gauge for each parent and field that is set.
func (m *statusMetrics) Collect(gauges chan<- prometheus.Metric) {
	if !m.works.Load() {
		return
	}
	parents, err := m.parents(context.Background())
	if err != nil {
		for _, shape := range m.shapes {
			gauges <- prometheus.NewInvalidMetric(shape, err)
		}
		return
	}
	for _, parent := range parents {
		if !m.isOf(parent) {
			continue
		}
		for i, metric := range m.metrics {
			if value, ok := objectfields.Number(parent, metric.Path); ok {
				gauges <- prometheus.MustNewConstMetric(m.shapes[i], prometheus.GaugeValue, value, parent.GetNamespace(), parent.GetName())
			}
		}
	}
}

// addStatusMetrics has the gauges served that the definition lists.
func (l *loop) addStatusMetrics() error {
	if len(l.definition.Metrics) == 0 {
		return nil
	}
	l.statusMetrics = l.newStatusMetrics()
	if err := l.environment.Registry.Register(l.statusMetrics); err != nil {
		return fmt.Errorf("metrics from the status: %w", err)
	}
	return nil
}
