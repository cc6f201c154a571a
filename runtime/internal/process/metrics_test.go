package process

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func TestControllersShareTheirMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	for _, controller := range []string{"site", "realm"} {
		metrics, err := newMetrics(registry)
		if err != nil {
			t.Fatal(err)
		}
		metrics.CountReconcile(controller, "success", time.Millisecond)
		metrics.CountWrite(controller, "Pod", "created")
		metrics.CountDrift(controller, "Pod")
		metrics.ObserveConvergence(controller, time.Second)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	var got []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			line := family.GetName()
			for _, label := range metric.GetLabel() {
				line += " " + label.GetValue()
			}
			got = append(got, fmt.Sprint(line, " ", metric.GetCounter().GetValue()+float64(metric.GetHistogram().GetSampleCount())))
		}
	}
	const want = `opgen_child_writes_total realm Pod created 1
opgen_child_writes_total site Pod created 1
opgen_convergence_seconds realm 1
opgen_convergence_seconds site 1
opgen_drift_found_total realm Pod 1
opgen_drift_found_total site Pod 1
opgen_reconcile_duration_seconds realm 1
opgen_reconcile_duration_seconds site 1
opgen_reconcile_total realm success 1
opgen_reconcile_total site success 1`
	if strings.Join(got, "\n") != want {
		t.Errorf("metrics are\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
