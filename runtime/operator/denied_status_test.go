package operator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// An operator that may not write the status of its parents shows that in an Event and in a metric.
func TestStatusThatMayNotBeWrittenIsShown(t *testing.T) {
	t.Parallel()
	roles := filepath.Join(t.TempDir(), "roles.yaml")
	if err := os.WriteFile(roles, []byte(strings.Replace(rightsWithoutLeases, "sites/status, ", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &author{sync: desireWeb, alter: func(d *siteDefinition) { d.Name = "cannot-write-status" }}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Roles:       roles, LacksRights: true,
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(f.site)
	f.Exists(configMap("web", ""))
	f.Eventually("an Event names the request", func() error {
		for _, event := range f.events() {
			if strings.Contains(event, "Forbidden") && strings.Contains(event, "sites/status") {
				return nil
			}
		}
		return fmt.Errorf("Events are %q", f.events())
	})
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(families); !strings.Contains(text, `label:{name:"controller"  value:"cannot-write-status"}  label:{name:"result"  value:"Forbidden"}`) &&
		!strings.Contains(text, `label:{name:"controller" value:"cannot-write-status"} label:{name:"result" value:"Forbidden"}`) {
		t.Error("opgen_reconcile_total has no result Forbidden")
	}
}
