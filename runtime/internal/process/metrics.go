package process

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of all controllers. They are registered once per process, with a
// label that names the controller.
type Metrics struct {
	reconciles  *prometheus.CounterVec
	duration    *prometheus.HistogramVec
	writes      *prometheus.CounterVec
	deletions   *prometheus.CounterVec
	patches     *prometheus.CounterVec
	drift       *prometheus.CounterVec
	convergence *prometheus.HistogramVec
	heldPrunes  *prometheus.GaugeVec
	lagging     *prometheus.GaugeVec
	awaited     *prometheus.GaugeVec
	unreadable  *prometheus.GaugeVec
	prunes      *prometheus.CounterVec
	observed    *prometheus.CounterVec
	leases      *prometheus.GaugeVec
	abandoned   *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) (Metrics, error) {
	m := Metrics{
		reconciles:  newCounter("opgen_reconcile_total", "Reconciles of parents, by result: success, stale (put off, since the cache was out of date), slow (Sync took long beside others, and is called again later), or the reason of an error as the Ready condition shows it.", "controller", "result"),
		duration:    newHistogram("opgen_reconcile_duration_seconds", "Duration of reconciles that called Sync or Finalize.", prometheus.ExponentialBuckets(0.0005, 4, 9)),
		writes:      newCounter("opgen_child_writes_total", "Children written, by kind and verb: created, updated, adopted, orphaned or deleted.", "controller", "kind", "verb"),
		deletions:   newCounter("opgen_related_deletions_total", "Related objects that Sync had deleted, by kind.", "controller", "kind"),
		patches:     newCounter("opgen_related_patches_total", "Related objects of which fields were set or removed, by kind.", "controller", "kind"),
		drift:       newCounter("opgen_drift_found_total", "Children with a field of the operator's that someone else had changed, by kind.", "controller", "kind"),
		convergence: newHistogram("opgen_convergence_seconds", "Time from when this process first saw a generation of a parent until a reconcile ended with everything written and Ready.", prometheus.ExponentialBuckets(0.01, 3, 12)),
		heldPrunes:  newGauge("opgen_held_prunes", "Parents whose prunes are held until a person releases them.", "controller"),
		lagging:     newGauge("opgen_stale_cache_parents", "Parents that have waited for more than a minute until the cache of a kind shows what the operator has written: its list or watch stands still.", "controller", "kind"),
		awaited:     newGauge("opgen_awaited_kinds", "Kinds that a controller waits for: 1 for each whose CRD is not installed, or which the operator's role does not allow to list and watch, at the start or for a minute.", "controller", "kind"),
		unreadable:  newGauge("opgen_unreadable_objects", "Parents, children and related objects that do not decode into their Go type and are set aside, by kind.", "controller", "kind"),
		prunes:      newCounter("opgen_unexplained_prunes_total", "Reconciles that were to prune children of a parent whose spec had not changed, by result: pruned or held.", "controller", "result"),
		observed:    newCounter("opgen_observed_writes_total", "Writes that an operator with --observe would have made, by kind and verb: create, update, patch or delete, of the status: patch status.", "controller", "kind", "verb"),
		leases:      newGauge("opgen_lease_unavailable", "1 while no replica has held the lease of this name for a minute, as far as this one can read: nothing is reconciled.", "name"),
		abandoned:   newCounter("opgen_poller_abandoned_calls_total", "Calls of a Poller that had not returned after a period, although their contexts had ended.", "controller"),
	}
	return m, errors.Join(
		registerMetric(registry, &m.reconciles), registerMetric(registry, &m.duration), registerMetric(registry, &m.writes), registerMetric(registry, &m.deletions), registerMetric(registry, &m.patches),
		registerMetric(registry, &m.drift), registerMetric(registry, &m.convergence),
		registerMetric(registry, &m.heldPrunes), registerMetric(registry, &m.lagging), registerMetric(registry, &m.awaited), registerMetric(registry, &m.unreadable), registerMetric(registry, &m.prunes), registerMetric(registry, &m.observed), registerMetric(registry, &m.leases), registerMetric(registry, &m.abandoned),
	)
}

func newCounter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// newHistogram returns a histogram for each controller.
func newHistogram(name, help string, buckets []float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{"controller"})
}

func newGauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

// registerMetric registers a metric, or sets it to the one that is registered already.
func registerMetric[M prometheus.Collector](registry prometheus.Registerer, metric *M) error {
	err := registry.Register(*metric)
	if existing, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		*metric = existing.ExistingCollector.(M)
		return nil
	}
	return err
}

// CountReconcile counts a reconcile that ended with a result.
func (m Metrics) CountReconcile(controller, result string, duration time.Duration) {
	m.reconciles.WithLabelValues(controller, result).Inc()
	m.duration.WithLabelValues(controller).Observe(duration.Seconds())
}

// CountStale counts a reconcile that was put off because the cache was out of date.
func (m Metrics) CountStale(controller string) {
	m.reconciles.WithLabelValues(controller, "stale").Inc()
}

// CountWrite counts a write of a child. An operator that observes makes none.
func (m Metrics) CountWrite(controller, kind, verb string) {
	if m.writes != nil {
		m.writes.WithLabelValues(controller, kind, verb).Inc()
	}
}

// CountRelatedPatch counts a related object of which fields were set or removed. An operator that observes
// sets none.
func (m Metrics) CountRelatedPatch(controller, kind string) {
	if m.writes != nil {
		m.patches.WithLabelValues(controller, kind).Inc()
	}
}

// CountRelatedDeletion counts a related object that was deleted. An operator that observes deletes none.
func (m Metrics) CountRelatedDeletion(controller, kind string) {
	if m.writes != nil {
		m.deletions.WithLabelValues(controller, kind).Inc()
	}
}

// CountDrift counts a child that someone else had changed.
func (m Metrics) CountDrift(controller, kind string) {
	m.drift.WithLabelValues(controller, kind).Inc()
}

// ObserveConvergence records how long a generation of a parent took to converge.
func (m Metrics) ObserveConvergence(controller string, duration time.Duration) {
	m.convergence.WithLabelValues(controller).Observe(duration.Seconds())
}

// SetHeldPrunes sets the number of parents whose prunes are held.
func (m Metrics) SetHeldPrunes(controller string, parents int) {
	m.heldPrunes.WithLabelValues(controller).Set(float64(parents))
}

// SetLagging sets the number of parents that have waited long for the cache of a kind.
func (m Metrics) SetLagging(controller, kind string, parents int) {
	m.lagging.WithLabelValues(controller, kind).Set(float64(parents))
}

// SetAwaited sets the kinds that a controller waits for before it works.
func (m Metrics) SetAwaited(controller string, kinds []string) {
	m.awaited.DeletePartialMatch(prometheus.Labels{"controller": controller})
	for _, kind := range kinds {
		m.awaited.WithLabelValues(controller, kind).Set(1)
	}
}

// SetUnreadable sets the number of objects of each kind that do not decode.
func (m Metrics) SetUnreadable(controller string, counts map[string]int) {
	m.unreadable.DeletePartialMatch(prometheus.Labels{"controller": controller})
	for kind, n := range counts {
		m.unreadable.WithLabelValues(controller, kind).Set(float64(n))
	}
}

// CountPrune counts a reconcile that was to prune children of a parent whose spec had not changed.
func (m Metrics) CountPrune(controller, result string) {
	m.prunes.WithLabelValues(controller, result).Inc()
}

// CountObservedWrite counts a write that an operator with --observe would have made.
func (m Metrics) CountObservedWrite(controller, kind, verb string) {
	m.observed.WithLabelValues(controller, kind, verb).Inc()
}

// CountAbandoned counts a call of a Poller that does not return.
func (m Metrics) CountAbandoned(controller string) {
	m.abandoned.WithLabelValues(controller).Inc()
}
