package operator

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// instruments are the metrics of a controller. They are registered once per
// process, with a label that tells controllers apart.
type instruments struct {
	syncs    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	writes   *prometheus.CounterVec
	drift    *prometheus.CounterVec
	converge *prometheus.HistogramVec
}

func newInstruments(registry prometheus.Registerer) (instruments, error) {
	i := instruments{
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "opgen_sync_total",
			Help: "Passes over parents, by result: success, stale (put off, since the view was out of date), or the reason of an error as the Ready condition shows it.",
		}, []string{"controller", "result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "opgen_sync_duration_seconds",
			Help:    "How long passes took that called Sync or Finalize.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9),
		}, []string{"controller"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "opgen_child_writes_total",
			Help: "Children written, by kind and verb: created, updated, adopted, released or deleted.",
		}, []string{"controller", "kind", "verb"}),
		drift: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "opgen_drift_found_total",
			Help: "Children that someone else had changed in a field of ours, by kind.",
		}, []string{"controller", "kind"}),
		converge: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "opgen_convergence_seconds",
			Help:    "From when this process first saw a generation of a parent until a pass ended with everything written and Ready.",
			Buckets: prometheus.ExponentialBuckets(0.01, 3, 12),
		}, []string{"controller"}),
	}
	return i, errors.Join(
		register(registry, &i.syncs), register(registry, &i.duration), register(registry, &i.writes), register(registry, &i.drift),
		register(registry, &i.converge),
	)
}

// register registers a metric, or takes the one that is registered already.
func register[M prometheus.Collector](registry prometheus.Registerer, metric *M) error {
	err := registry.Register(*metric)
	if existing, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		*metric = existing.ExistingCollector.(M)
		return nil
	}
	return err
}

// passed counts a pass that ended with this result.
func (i instruments) passed(controller, result string, took time.Duration) {
	i.syncs.WithLabelValues(controller, result).Inc()
	i.duration.WithLabelValues(controller).Observe(took.Seconds())
}

// stale counts a pass that was put off because the cache was behind.
func (i instruments) stale(controller string) {
	i.syncs.WithLabelValues(controller, "stale").Inc()
}

func (i instruments) wrote(controller, kind, verb string) {
	i.writes.WithLabelValues(controller, kind, verb).Inc()
}

func (i instruments) drifted(controller, kind string) {
	i.drift.WithLabelValues(controller, kind).Inc()
}

func (i instruments) converged(controller string, after time.Duration) {
	i.converge.WithLabelValues(controller).Observe(after.Seconds())
}
