package reconcile

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
)

func TestStatusMetricsAreThoseOfTheParentsThatExist(t *testing.T) {
	parents := []client.Object{
		&testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web"}, Status: testapi.Status{Phase: "3", ObservedGeneration: 7}},
		&testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "web"}, Status: testapi.Status{ObservedGeneration: 8}},
		&testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "other"}},
		&testapi.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "new"}}, // without a status
	}
	var failed error
	l := &loop{definition: Definition{Metrics: []declared.Metric{
		{Name: "site_phase", Path: ".status.phase", Help: "The phase."},
		{Name: "site_generation", Path: ".status.observedGeneration", Help: "The generation."},
	}}}
	metrics := l.newStatusMetrics()
	metrics.parents = func(context.Context) ([]client.Object, error) { return parents, failed }
	metrics.isOf = func(object client.Object) bool { return object.GetName() != "other" }
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	gather := func() (lines []string, err error) {
		families, err := registry.Gather()
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				lines = append(lines, family.GetName()+" "+metric.String())
			}
		}
		return lines, err
	}
	if lines, err := gather(); len(lines) > 0 || err != nil {
		t.Errorf("a controller that does not work shows %q, %v", lines, err)
	}
	metrics.works.Store(true)
	lines, err := gather()
	if err != nil || len(lines) != 3 {
		t.Fatalf("the gauges are %q, %v", lines, err)
	}
	for i, parts := range [][]string{{"site_generation", `"a"`, "7"}, {"site_generation", `"b"`, "8"}, {"site_phase", `"a"`, "3"}} {
		if slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(lines[i], part) }) {
			t.Errorf("gauge %d is %q, want %q in it", i, lines[i], parts)
		}
	}
	parents = parents[:1]
	if lines, _ := gather(); len(lines) != 2 {
		t.Errorf("after a parent is gone, the gauges are %q", lines)
	}
	failed = errors.New("no cache")
	if _, err := gather(); err == nil {
		t.Error("an error of the cache is not shown")
	}
}
