package instance

import (
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/health"
)

// HealthRules returns the rules by which objects of a kind are ready, as the operator knows them
// without an author's rule.
func (o *Operator) HealthRules(object client.Object) health.Rules {
	o.T.Helper()
	if health.IsBuiltIn(object) {
		return health.Rules{}
	}
	kind := o.KindOf(object)
	from, err := discovery.NewDiscoveryClientForConfig(o.Server)
	if err != nil {
		o.T.Fatal(err)
	}
	served, err := from.ServerResourcesForGroupVersion(kind.GroupVersion().String())
	if err != nil {
		o.T.Fatal(err)
	}
	return health.Rules{LacksStatus: health.LacksStatus(served, kind.Kind)}
}
