package operator_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestEveryParentIsReconciledNowAndThenWithoutWrites(t *testing.T) {
	t.Parallel()
	a := &author{sync: desire(func(want *Desired) {
		desireOne(want)
		want.Services.Add(service("web"))
		want.ConfigMaps.Add(configMap("kept", "one"), orphaned...)
	})}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options:     func(o *operator.Options) { o.Resync = time.Second },
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(f.site)
	f.status("Ready", "Ready")
	f.resynced(3) // in which it comes to rest
	before := len(f.Requests())
	f.resynced(3)
	f.expectRequests(before)
}

// resynced waits for so many more reconciles, which nothing in the test causes.
func (f *fixture) resynced(n int) {
	f.t.Helper()
	before := f.count()
	f.Eventually("there are reconciles without a change", func() error {
		if more := f.count() - before; more < n {
			return fmt.Errorf("there were %d", more)
		}
		return nil
	})
}

func (a *author) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reconciles
}
