package operator_test

import (
	"context"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Which objects are read may be computed, of a list in the parent here.
func ExampleSelection() {
	type Selections = shopSelections
	ask := func(related func(context.Context, *Shop) (*Selections, error)) {
		shop := tea(nil).Parent
		shop.Spec.Rates = []string{"black", "green"}
		selections, err := related(context.Background(), shop)
		fmt.Println(selections.Rates[0].Names, selections.Rates[1].Namespaces, err)
	}
	ask(func(_ context.Context, shop *Shop) (*Selections, error) {
		return &Selections{Rates: []operator.Selection{
			{Names: shop.Spec.Rates},
			{Names: []string{"default"}, Namespaces: []string{"rates"}},
		}}, nil
	})
	// Output:
	// [black green] [rates] <nil>
}

// Related objects may be those that name the parent. Generated code has such an entry.
func ExampleRelatedKind() {
	type Related struct {
		Backups operator.Snapshot[*unstructured.Unstructured]
	}
	entry := func(related *Related) operator.RelatedKind {
		return operator.RelatedKind{
			Object: operator.Unstructured("db.example.com/v1", "Backup"),
			Match:  map[string]string{".spec.shop": ".metadata.name"},
			Fields: operator.BindRelated(&related.Backups),
		}
	}
	fmt.Println(entry(new(Related)).Match)
	// Output:
	// map[.spec.shop:.metadata.name]
}

// With parents of several kinds, Sync switches on the type.
func ExampleParentKind() {
	replicas := func(parent client.Object) int32 {
		switch parent := parent.(type) {
		case *appsv1.StatefulSet:
			return *parent.Spec.Replicas
		case *appsv1.Deployment:
			return *parent.Spec.Replicas
		}
		return 0
	}
	fmt.Println(replicas(deploymentFor(tea(nil).Parent)))
	// Output:
	// 2
}

// Setup adds to the manager that runs the controllers.
func ExampleSetup() {
	main := func(controllers func(operator.Manager) ([]operator.Controller, error)) {
		operator.Main(controllers, operator.Setup(func(mgr operator.Manager) error {
			return mgr.AddHealthzCheck("disk", diskIsWritable)
		}))
	}
	_ = main
}

func diskIsWritable(*http.Request) error { return nil }

// Metrics from the status are a part of the definition, which opgen generates from the spec file.
func ExampleMetric() {
	metrics := []operator.Metric{
		{Name: "shop_orders", Path: ".status.orders", Help: "Orders that the shop has open."},
		{Name: "shop_last_backup", Path: ".status.lastBackup", Help: "When the last backup ended."},
	}
	for _, metric := range metrics {
		fmt.Printf("%s{namespace, name} shows %s\n", metric.Name, metric.Path)
	}
	// Output:
	// shop_orders{namespace, name} shows .status.orders
	// shop_last_backup{namespace, name} shows .status.lastBackup
}
