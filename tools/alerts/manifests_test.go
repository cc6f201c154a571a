package alerts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const components = "../../examples/echo-server/deploy/components"

// read decodes the document of a kind in a file, and refuses unknown fields.
func read(t *testing.T, component, kind string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(components, component, "zz_generated."+component+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		if strings.Contains(document, "\nkind: "+kind+"\n") {
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s has no %s", component, kind)
}

func rules(t *testing.T) (rules []monitoringv1.Rule) {
	t.Helper()
	var rule monitoringv1.PrometheusRule
	read(t, "prometheus-rule", "PrometheusRule", &rule)
	for _, group := range rule.Spec.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules
}

// TestPrometheusLoadsTheRules checks expressions and templates as promtool does.
func TestPrometheusLoadsTheRules(t *testing.T) {
	var rule monitoringv1.PrometheusRule
	read(t, "prometheus-rule", "PrometheusRule", &rule)
	text, err := yaml.Marshal(rule.Spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), nil); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestThePrometheusOperatorKnowsEachField(t *testing.T) {
	for _, component := range []string{"service-monitor", "service-monitor-cert-manager"} {
		var monitor monitoringv1.ServiceMonitor
		read(t, component, "ServiceMonitor", &monitor)
		if len(monitor.Spec.Endpoints) != 1 || monitor.Spec.Endpoints[0].TLSConfig == nil {
			t.Errorf("%s: %+v", component, monitor.Spec)
		}
	}
}

func TestPrometheusParsesTheDashboard(t *testing.T) {
	var config corev1.ConfigMap
	read(t, "grafana-dashboard", "ConfigMap", &config)
	variables := strings.NewReplacer("$__rate_interval", "5m", "$namespace", ".*")
	for _, text := range config.Data {
		var dashboard struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
			t.Fatal(err)
		}
		if len(dashboard.Panels) == 0 {
			t.Error("there are no panels")
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				if _, err := parser.NewParser(parser.Options{}).ParseExpr(variables.Replace(target.Expr)); err != nil {
					t.Errorf("%s: %v", panel.Title, err)
				}
			}
		}
	}
}
