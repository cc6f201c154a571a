package deploy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// alert is a rule of Prometheus that fires once its expression has had results for so long.
type alert struct {
	name, severity, after string
	expr                  string
	summary, description  string
}

// alertComponent alerts of what a person has to look at.
func (o Operator) alertComponent() Component {
	var rules []any
	for _, a := range o.alerts() {
		rules = append(rules, map[string]any{
			"alert":       a.name,
			"expr":        a.expr,
			"for":         a.after,
			"labels":      map[string]any{"severity": a.severity, "operator": o.Name},
			"annotations": map[string]any{"summary": a.summary, "description": a.description},
		})
	}
	groups := []any{map[string]any{"name": o.Name, "rules": rules}}
	return Component{
		Name:    "prometheus-rule",
		Purpose: "alerts: no leader, errors, slow convergence, conflicts, held prunes",
		about:   "Alerts by the metrics of the operator, for the Prometheus Operator.",
		objects: []runtime.Object{o.monitoringObject("PrometheusRule", o.ManagerName(), map[string]any{"groups": groups})},
	}
}

// withController returns the selector of a metric of the project's controllers. It names neither the
// namespace nor the Service, which a kustomization may change.
func (o Operator) withController(metric string, more ...string) string {
	names := make([]string, len(o.Controllers))
	for i, controller := range o.Controllers {
		names[i] = controller.Name
	}
	labels := append([]string{fmt.Sprintf("controller=~%q", strings.Join(names, "|"))}, more...)
	return metric + "{" + strings.Join(labels, ",") + "}"
}

// leaderMetric is 1 of the replica that leads.
func (o Operator) leaderMetric(more ...string) string {
	return o.withLease("leader_election_master_status", more...)
}

// withLease returns the selector of a metric of the project's lease.
func (o Operator) withLease(metric string, more ...string) string {
	return metric + "{" + strings.Join(append([]string{fmt.Sprintf("name=%q", o.Name)}, more...), ",") + "}"
}

// failedResult selects reconciles that ended with an error. A stale or slow one is repeated.
const failedResult = `result!~"success|stale|slow"`

func (o Operator) alerts() []alert {
	const what = "{{ $labels.namespace }}/{{ $labels.controller }}"
	failed, all := o.withController("opgen_reconcile_total", failedResult), o.withController("opgen_reconcile_total")
	return []alert{
		{
			name: "OperatorNoLeader", severity: "critical", after: "5m",
			expr:        fmt.Sprintf("max by (namespace) (%s) == 0 or absent(%s)", o.leaderMetric(), o.leaderMetric()),
			summary:     "No replica of " + o.Name + " works.",
			description: "Changes of parents and of their children have no effect. Look at the Pods and their logs, which name the holder of the lease.",
		},
		{
			name: "OperatorLeaseUnavailable", severity: "warning", after: "5m",
			expr:        fmt.Sprintf("max by (namespace) (%s) > 0", o.withLease("opgen_lease_unavailable")),
			summary:     "A replica of " + o.Name + " cannot take its lease, and sees no other that has it.",
			description: "Look whether the operator's role in its own namespace allows to get, create and update its Lease, and whether the API server can be reached. The probe /readyz/lease and the log say why.",
		},
		{
			name: "OperatorRequestsForbidden", severity: "warning", after: "15m",
			expr:        fmt.Sprintf("sum by (namespace) (increase(rest_client_requests_total{code=\"403\"}[15m]) and on (instance) %s) > 0", o.leaderMetric()),
			summary:     "The API server keeps refusing requests of " + o.Name + ".",
			description: "The operator's role lacks a right, or a quota or an admission policy refuses what it writes. The log names the request. Where Ready can be written, it has the reason Forbidden.",
		},
		{
			name: "OperatorReconcileErrors", severity: "warning", after: "15m",
			expr:        fmt.Sprintf("sum by (namespace, controller) (rate(%s[15m])) / sum by (namespace, controller) (rate(%s[15m])) > 0.1", failed, all),
			summary:     "More than 10 % of the reconciles of " + what + " fail.",
			description: "The Ready condition of the parents concerned says why, and so does the log. The label result of opgen_reconcile_total counts the reasons.",
		},
		{
			name: "OperatorPanics", severity: "warning", after: "0s",
			expr:        fmt.Sprintf("increase(%s[15m]) > 0", o.withController("controller_runtime_reconcile_panics_total")),
			summary:     "Code of " + what + " panics.",
			description: "The log has the stack.",
		},
		{
			name: "OperatorSlowConvergence", severity: "warning", after: "15m",
			expr:        fmt.Sprintf("histogram_quantile(0.9, sum by (namespace, controller, le) (rate(%s[30m]))) > 600", o.withController("opgen_convergence_seconds_bucket")),
			summary:     "Every tenth change of a parent of " + what + " takes more than 10 minutes to converge.",
			description: "Compare opgen_reconcile_duration_seconds, which Sync makes long, with workqueue_queue_duration_seconds, which too few workers make long. Where children take long to be ready by nature, raise the limit with a patch.",
		},
		{
			name: "OperatorConflicts", severity: "warning", after: "15m",
			expr:        fmt.Sprintf("sum by (namespace, controller, kind) (increase(%s[30m])) > 4", o.withController("opgen_drift_found_total")),
			summary:     "Somebody keeps changing objects of kind {{ $labels.kind }} that " + what + " owns.",
			description: "The Ready condition of the parents concerned has the reason FieldConflict, and names the other field manager and the fields.",
		},
		{
			name: "OperatorPrunesHeld", severity: "critical", after: "1m",
			expr:        fmt.Sprintf("max by (namespace, controller) (%s) > 0", o.withController("opgen_held_prunes")),
			summary:     what + " holds prunes of {{ $value }} parents.",
			description: "Many parents were to lose children although their specs had not changed. Find out why, and then release the prunes: the Ready condition of these parents has the command.",
		},
		{
			name: "OperatorAwaitsKind", severity: "warning", after: "15m",
			expr:        fmt.Sprintf("max by (namespace, controller, kind) (%s) > 0", o.withController("opgen_awaited_kinds")),
			summary:     what + " does not work: it waits for kind {{ $labels.kind }}.",
			description: "Its CRD is not installed, or the operator's role does not allow to list and watch it.",
		},
		{
			name: "OperatorUnreadableObjects", severity: "warning", after: "5m",
			expr:        fmt.Sprintf("max by (namespace, controller, kind) (%s) > 0", o.withController("opgen_unreadable_objects")),
			summary:     "{{ $value }} objects of kind {{ $labels.kind }} do not decode, and " + what + " sets them aside.",
			description: "The operator's log names each object and its field. Mend or delete them: until then they are not reconciled, and who reads them waits.",
		},
		{
			name: "OperatorStaleCache", severity: "warning", after: "5m",
			expr:        fmt.Sprintf("max by (namespace, controller, kind) (%s) > 0", o.withController("opgen_stale_cache_parents")),
			summary:     "The cache of kind {{ $labels.kind }} of " + what + " stands still.",
			description: "Parents wait until it shows what the operator has written. Look whether the operator's role allows to list and watch the kind.",
		},
	}
}
