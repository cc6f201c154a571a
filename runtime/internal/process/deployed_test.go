package process

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	_ "sigs.k8s.io/controller-runtime/pkg/controller" // which registers its metrics
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"
)

// deployFolder has manifests that opgen generates, whose promises a process has to keep.
const deployFolder = "../../../examples/echo-server/deploy"

func readManifest(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// managerGrace is how long controller-runtime waits for reconciles by default, and flushGrace how long
// the last spans may take.
const (
	managerGrace = 30 * time.Second
	flushGrace   = 5 * time.Second
)

func TestTheKubeletWaitsLongerThanTheOperator(t *testing.T) {
	first, _, _ := strings.Cut(string(readManifest(t, "zz_generated.manager.yaml")), "\n---\n")
	var deployment appsv1.Deployment
	if err := yaml.UnmarshalStrict([]byte(first), &deployment); err != nil {
		t.Fatal(err)
	}
	waits := time.Duration(*deployment.Spec.Template.Spec.TerminationGracePeriodSeconds) * time.Second
	if needed := max(grace, managerGrace) + flushGrace; waits <= needed {
		t.Errorf("the kubelet kills the operator after %s, which may need %s", waits, needed)
	}
}

// registeredLabels returns the labels of every metric that a process registers.
func registeredLabels(t *testing.T) map[string][]string {
	t.Helper()
	own := prometheus.NewRegistry()
	if _, err := newMetrics(own); err != nil {
		t.Fatal(err)
	}
	described := regexp.MustCompile(`fqName: "([^"]*)".*variableLabels: \{([^}]*)\}`)
	labels := map[string][]string{}
	for _, registry := range []prometheus.Collector{own, metrics.Registry.(prometheus.Collector)} {
		descriptions := make(chan *prometheus.Desc)
		go func() {
			registry.Describe(descriptions)
			close(descriptions)
		}()
		for description := range descriptions {
			if found := described.FindStringSubmatch(description.String()); found != nil {
				labels[found[1]] = strings.Split(found[2], ",")
			}
		}
	}
	return labels
}

var (
	selector = regexp.MustCompile(`([a-z][a-z0-9_]*)\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`([a-z]+)(?:=~|!~|!=|=)"`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)`)
	suffix   = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// ofTarget are labels that Prometheus adds to each metric of a Pod, and le that of histograms.
var ofTarget = []string{"namespace", "pod", "instance", "le"}

// TestAlertsAndDashboardsNameRegisteredMetrics looks up each metric and label in an expression that opgen
// generates.
func TestAlertsAndDashboardsNameRegisteredMetrics(t *testing.T) {
	registered, named := registeredLabels(t), map[string]bool{}
	for _, expression := range append(alertExpressions(t), dashboardExpressions(t)...) {
		found := selector.FindAllStringSubmatch(expression, -1)
		if len(found) == 0 {
			t.Errorf("%s: selects no metric", expression)
		}
		known := slices.Clone(ofTarget)
		for _, s := range found {
			name := suffix.ReplaceAllString(s[1], "")
			labels, isRegistered := registered[name]
			if !isRegistered {
				t.Errorf("%s: no process registers %s", expression, name)
			}
			named[name], known = true, append(known, labels...)
			for _, label := range matcher.FindAllStringSubmatch(s[2], -1) {
				if !slices.Contains(append(labels, ofTarget...), label[1]) {
					t.Errorf("%s: %s has no label %s, but %v", expression, name, label[1], labels)
				}
			}
		}
		for _, group := range grouping.FindAllStringSubmatch(expression, -1) {
			for label := range strings.SplitSeq(group[1], ", ") {
				if !slices.Contains(known, label) {
					t.Errorf("%s: is by the label %s, and there are %v", expression, label, known)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		if strings.HasPrefix(name, "opgen_") && !named[name] {
			t.Errorf("no dashboard shows %s", name)
		}
	}
}

func alertExpressions(t *testing.T) (expressions []string) {
	t.Helper()
	var rules struct {
		Spec struct {
			Groups []struct {
				Rules []struct{ Expr string }
			}
		}
	}
	if err := yaml.Unmarshal(readManifest(t, "components/prometheus-rule/zz_generated.prometheus-rule.yaml"), &rules); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Spec.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	return expressions
}

func dashboardExpressions(t *testing.T) (expressions []string) {
	t.Helper()
	var config corev1.ConfigMap
	if err := yaml.UnmarshalStrict(readManifest(t, "components/grafana-dashboard/zz_generated.grafana-dashboard.yaml"), &config); err != nil {
		t.Fatal(err)
	}
	for _, text := range config.Data {
		var dashboard struct {
			Panels []struct {
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
			t.Fatal(err)
		}
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				expressions = append(expressions, target.Expr)
			}
		}
	}
	return expressions
}
