package ondeletedemo

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/update-strategy/api/v1"
	"example.com/update-strategy/internal/configmap"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1.AddToScheme},
	}
}

// TestExplore changes the ConfigMap behind the operator's back, changes what Sync desires, and lets
// requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *v1.OnDeleteDemo {
		demo := newDemo("v1")
		demo.Name = name
		return demo
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

// TestOnDeleteDemo runs the operator against a real API server; without one it skips. See make test-e2e.
func TestOnDeleteDemo(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	demo, data := newDemo("v1"), configmap.For("one", "")
	cluster.Create(demo)
	cluster.Matches(configmap.For("one", "v1"))
	says(cluster, demo, "v1", "Ready")
	cluster.Converged(demo)

	// What somebody else adds stays, and what somebody changes is repaired.
	cluster.Exists(data)
	first := data.UID
	cluster.Update(data, func() { data.Data["theirs"], data.Data["value"] = "kept", "drifted" })
	cluster.Matches(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: data.Name},
		Data:       map[string]string{"value": "v1", "theirs": "kept"},
	})
	if cluster.Get(data); data.UID != first {
		t.Error("drift recreated the ConfigMap")
	}

	// A change waits until somebody deletes the ConfigMap.
	cluster.Update(demo, func() { demo.Spec.ConfigData = "v2" })
	says(cluster, demo, "v1", "Outdated")
	cluster.Converged(demo)
	cluster.Delete(data)
	cluster.Gone(data)
	cluster.Matches(configmap.For("one", "v2"))
	says(cluster, demo, "v2", "Ready")
	cluster.Converged(demo)
	cluster.Truthful(demo)

	cluster.Delete(demo)
	cluster.Gone(demo, data)
}

// says waits until the status has a content, and the Ready condition a reason.
func says(cluster *operatortest.Cluster, demo *v1.OnDeleteDemo, content, reason string) {
	cluster.Eventually(fmt.Sprintf("the status says %q, and Ready %s", content, reason), func() error {
		cluster.Get(demo)
		for _, condition := range demo.Status.Conditions {
			if condition.Type == "Ready" && condition.Reason == reason && demo.Status.ConfigData == content {
				return nil
			}
		}
		return fmt.Errorf("the status is %+v", demo.Status)
	})
}
