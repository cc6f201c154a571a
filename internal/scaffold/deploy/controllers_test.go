package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAlertsNameTheControllersOfEachExample as their generated code does, by which the runtime labels
// metrics.
func TestAlertsNameTheControllersOfEachExample(t *testing.T) {
	operators, err := filepath.Glob("../../../examples/*/internal/*/zz_generated.operator.go")
	if err != nil || len(operators) == 0 {
		t.Fatal(operators, err)
	}
	name, selected := regexp.MustCompile(`NewController\([^"]*\bName: *"([^"]*)"`), regexp.MustCompile(`controller=~"([^"]*)"`)
	for _, file := range operators {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := os.ReadFile(filepath.Join(filepath.Dir(file), "../../deploy/components/prometheus-rule/zz_generated.prometheus-rule.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		controller, alerted := name.FindSubmatch(code), selected.FindSubmatch(rules)
		if controller == nil || alerted == nil || !slices.Contains(strings.Split(string(alerted[1]), "|"), string(controller[1])) {
			t.Errorf("%s: the controller is %q, and alerts are for %q", file, controller, alerted)
		}
	}
}
