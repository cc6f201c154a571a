package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The part of Grafana's model of a dashboard that ours needs.
type (
	dashboard struct {
		Title         string     `json:"title"`
		UID           string     `json:"uid"`
		Tags          []string   `json:"tags"`
		Editable      bool       `json:"editable"`
		SchemaVersion int        `json:"schemaVersion"`
		Refresh       string     `json:"refresh"`
		Time          timeRange  `json:"time"`
		Templating    templating `json:"templating"`
	}
	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	templating struct {
		List []variable `json:"list"`
	}
	variable struct {
		Name       string      `json:"name"`
		Type       string      `json:"type"`
		Query      string      `json:"query"`
		Datasource *datasource `json:"datasource,omitempty"`
		Refresh    int         `json:"refresh,omitempty"`
		IncludeAll bool        `json:"includeAll,omitempty"`
		Multi      bool        `json:"multi,omitempty"`
	}
	datasource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	panel struct {
		ID          int         `json:"id"`
		Type        string      `json:"type"`
		Title       string      `json:"title"`
		Description string      `json:"description,omitempty"`
		Datasource  datasource  `json:"datasource"`
		GridPos     gridPos     `json:"gridPos"`
		FieldConfig fieldConfig `json:"fieldConfig"`
		Targets     []query     `json:"targets"`
	}
	gridPos struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	fieldConfig struct {
		Defaults fieldDefaults `json:"defaults"`
	}
	fieldDefaults struct {
		Unit string `json:"unit"`
	}
	query struct {
		RefID        string `json:"refId"`
		Expr         string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
	}
)

// graph is a panel of a dashboard: a title, a unit of Grafana, and the lines with their legends.
type graph struct {
	title, unit, about string
	lines              [][2]string
}

// dashboardComponent has Grafana show a dashboard: its sidecar reads ConfigMaps with this label.
func (o Operator) dashboardComponent() Component {
	meta := o.metaIn(o.Namespace(), o.Name+"-dashboard")
	meta.Labels["grafana_dashboard"] = "1"
	return Component{
		Name:    "grafana-dashboard",
		Purpose: "a dashboard of the operator's metrics, for Grafana's sidecar",
		about:   "A dashboard by the metrics of the operator, for Grafana's sidecar, which reads ConfigMaps with this label.",
		objects: []runtime.Object{&corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta,
			Data: map[string]string{o.Name + ".json": o.dashboardText()},
		}},
	}
}

// dashboardText returns the dashboard as Grafana reads it, with a line for each panel. JSON can express
// all that its types hold.
func (o Operator) dashboardText() string {
	panels := o.panels()
	lines := make([]string, len(panels))
	for i, p := range panels {
		lines[i] = "    " + jsonLine(p)
	}
	return strings.TrimSuffix(jsonLine(o.dashboard()), "}") + `,"panels":[` + "\n" + strings.Join(lines, ",\n") + "\n]}\n"
}

func jsonLine(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSpace(text.String())
}

// dashboardSource is the data source that a user of the dashboard chooses.
var dashboardSource = datasource{Type: "prometheus", UID: "${datasource}"}

// dashboard returns the dashboard without its panels.
func (o Operator) dashboard() dashboard {
	namespaces := fmt.Sprintf("label_values(%s, namespace)", o.withController("opgen_reconcile_total"))
	return dashboard{
		Title: o.Name, UID: "opgen-" + fmt.Sprintf("%.34s", o.Name), Tags: []string{"operator"}, SchemaVersion: 39, Refresh: "1m", Time: timeRange{"now-6h", "now"},
		Templating: templating{[]variable{
			{Name: "datasource", Type: "datasource", Query: "prometheus"},
			{Name: "namespace", Type: "query", Query: namespaces, Datasource: &dashboardSource, Refresh: 2, IncludeAll: true, Multi: true},
		}},
	}
}

func (o Operator) panels() (panels []panel) {
	const width, height, columns = 12, 8, 2
	for i, g := range o.graphs() {
		p := panel{
			ID: i + 1, Type: "timeseries", Title: g.title, Description: g.about, Datasource: dashboardSource,
			GridPos:     gridPos{H: height, W: width, X: i % columns * width, Y: i / columns * height},
			FieldConfig: fieldConfig{Defaults: fieldDefaults{g.unit}},
		}
		for j, line := range g.lines {
			p.Targets = append(p.Targets, query{RefID: string(rune('A' + j)), Expr: line[0], LegendFormat: line[1]})
		}
		panels = append(panels, p)
	}
	return panels
}

// graphs returns the panels. What has no label for a controller is of the process: the metric of the
// leader says which processes are of this operator.
func (o Operator) graphs() []graph {
	const chosen = `namespace=~"$namespace"`
	of := func(metric string, more ...string) string { return o.withController(metric, append(more, chosen)...) }
	ofProcess := func(metric string) string {
		return fmt.Sprintf("%s{%s} and on (instance) %s", metric, chosen, o.leaderMetric(chosen))
	}
	quantile := func(share float64, metric string) string {
		return fmt.Sprintf("histogram_quantile(%g, sum by (controller, le) (rate(%s[$__rate_interval])))", share, of(metric))
	}
	rate := func(by, metric string) string {
		return fmt.Sprintf("sum by (%s) (rate(%s[$__rate_interval]))", by, of(metric))
	}
	return []graph{
		{"Leader", "short", "1 for the replica that works.", [][2]string{
			{o.leaderMetric(chosen), "{{ pod }}"}, {o.withLease("opgen_lease_unavailable", chosen), "{{ pod }} cannot take the lease"},
		}},
		{"Reconciles by result", "ops", "success, stale and slow are no errors.", [][2]string{{rate("controller, result", "opgen_reconcile_total"), "{{ controller }} {{ result }}"}}},
		{"Time until convergence", "s", "From a change of a parent's spec until everything is written and Ready.", [][2]string{
			{quantile(0.5, "opgen_convergence_seconds_bucket"), "{{ controller }} 50 %"}, {quantile(0.9, "opgen_convergence_seconds_bucket"), "{{ controller }} 90 %"},
		}},
		{"Duration of reconciles", "s", "", [][2]string{
			{quantile(0.5, "opgen_reconcile_duration_seconds_bucket"), "{{ controller }} 50 %"}, {quantile(0.99, "opgen_reconcile_duration_seconds_bucket"), "{{ controller }} 99 %"},
		}},
		{"Writes of children", "ops", "", [][2]string{{rate("controller, kind, verb", "opgen_child_writes_total"), "{{ controller }} {{ kind }} {{ verb }}"}}},
		{"Drift found", "ops", "Objects with a field of the operator's that somebody else had changed.", [][2]string{{rate("controller, kind", "opgen_drift_found_total"), "{{ controller }} {{ kind }}"}}},
		{"Held prunes", "short", "Parents whose prunes wait for a person.", [][2]string{{fmt.Sprintf("max by (controller) (%s)", of("opgen_held_prunes")), "{{ controller }}"}}},
		{"Prunes without a change of the spec", "ops", "", [][2]string{{rate("controller, result", "opgen_unexplained_prunes_total"), "{{ controller }} {{ result }}"}}},
		{"Writes of related objects", "ops", "", [][2]string{
			{rate("controller, kind", "opgen_related_patches_total"), "{{ controller }} {{ kind }} patched"},
			{rate("controller, kind", "opgen_related_deletions_total"), "{{ controller }} {{ kind }} deleted"},
		}},
		{"Writes that --observe leaves out", "ops", "", [][2]string{{rate("controller, kind, verb", "opgen_observed_writes_total"), "{{ controller }} {{ kind }} {{ verb }}"}}},
		{"Kinds and caches waited for, unreadable objects", "short", "", [][2]string{
			{fmt.Sprintf("max by (controller, kind) (%s)", of("opgen_awaited_kinds")), "{{ controller }} awaits {{ kind }}"},
			{fmt.Sprintf("max by (controller, kind) (%s)", of("opgen_stale_cache_parents")), "{{ controller }} stale {{ kind }}"},
			{fmt.Sprintf("max by (controller, kind) (%s)", of("opgen_unreadable_objects")), "{{ controller }} unreadable {{ kind }}"},
		}},
		{"Calls of Pollers that do not return", "ops", "", [][2]string{{rate("controller", "opgen_poller_abandoned_calls_total"), "{{ controller }}"}}},
		{"Parents in the queue", "short", "", [][2]string{{fmt.Sprintf("sum by (controller) (%s)", of("workqueue_depth")), "{{ controller }}"}}},
		{"Time in the queue", "s", "", [][2]string{{quantile(0.9, "workqueue_queue_duration_seconds_bucket"), "{{ controller }} 90 %"}}},
		{"Busy workers", "short", "", [][2]string{
			{fmt.Sprintf("sum by (controller) (%s)", of("controller_runtime_active_workers")), "{{ controller }}"},
			{fmt.Sprintf("max by (controller) (%s)", of("controller_runtime_max_concurrent_reconciles")), "{{ controller }}, all"},
		}},
		{"Requests to the API server", "ops", "", [][2]string{{fmt.Sprintf("sum by (method, code) (rate(rest_client_requests_total{%s}[$__rate_interval]) and on (instance) %s)", chosen, o.leaderMetric(chosen)), "{{ method }} {{ code }}"}}},
		{"Memory", "bytes", "", [][2]string{{ofProcess("process_resident_memory_bytes"), "{{ pod }}"}, {ofProcess("go_memstats_heap_inuse_bytes"), "{{ pod }} heap"}}},
		{"Processors", "short", "", [][2]string{{fmt.Sprintf("rate(process_cpu_seconds_total{%s}[$__rate_interval]) and on (instance) %s", chosen, o.leaderMetric(chosen)), "{{ pod }}"}}},
	}
}
