package operatortest_test

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The related objects of a parent are made with it, and somebody changes them, too.
func ExampleExplore_related() {
	testExploreRelated = func(t *testing.T, config operatortest.Config) { // func TestExplore(t *testing.T)
		operatortest.Explore(t, config, operatortest.Life{
			Parents: operatortest.ParentsOf(func(name string) *Ledger {
				return &Ledger{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: LedgerSpec{Text: "hello"}}
			}),
			Related: func(ledger client.Object) []client.Object {
				return []client.Object{&corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Name: ledger.GetName(), Labels: map[string]string{"sealed": "yes"}},
					StringData: map[string]string{"seal": "red"},
				}}
			},
		})
	}
}

var testExploreRelated func(*testing.T, operatortest.Config)

type (
	seals struct {
		Secrets operator.Snapshot[*corev1.Secret]
	}
	sealedRequest = operator.Request[*Ledger, books, seals]
)

// sealedConfig is that of an operator that copies the seal of a Ledger from the Secret of its name. seal
// returns the one that it copies, of the one that it finds.
func sealedConfig(seal func(name, found string) string) operatortest.Config {
	ledger := defineLedgers(nil)
	return operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*Ledger, LedgerStatus, books, ledgerChildren, seals]{
				Name: ledger.Name, Group: ledger.Group, Parents: ledger.Parents, Schemes: ledger.Schemes, Kinds: ledger.Kinds,
				Related: func(related *seals) []operator.RelatedKind {
					return []operator.RelatedKind{{
						Object: &corev1.Secret{}, Selector: "sealed", Match: map[string]string{".metadata.name": ".metadata.name"}, Fields: operator.BindRelated(&related.Secrets),
					}}
				},
				Status: ledger.Status, Conditions: ledger.Conditions, ObservedGeneration: ledger.ObservedGeneration,
				Sync: func(_ context.Context, req *sealedRequest) (*ledgerResponse, error) {
					want, found := new(ledgerChildren), ""
					if secret, ok := req.Related.Secrets.Get(req.Parent.Name); ok {
						found = string(secret.Data["seal"])
					}
					want.ConfigMaps.Add(textMap(req.Parent.Name, "sealed "+seal(req.Parent.Name, found)))
					return &ledgerResponse{Children: want, Status: &LedgerStatus{Phase: "Sealed"}}, nil
				},
			})}, nil
		},
		CRDs:    []string{"testdata/crd.yaml"},
		Schemes: runtime.SchemeBuilder{addToScheme},
	}
}

func TestExploreFindsNothingWrongWithRelatedObjects(t *testing.T) {
	t.Parallel()
	ExampleExplore_related()
	testExploreRelated(t, sealedConfig(func(_, found string) string { return found }))
}

// An exploration deletes what it has made, also the related objects in a namespace that is not that of the test.
func TestExploreLeavesNoRelatedObjects(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, ledgerConfig(copyOut))
	label := map[string]string{"left-by": cluster.Namespace}
	t.Run("explore", func(t *testing.T) {
		operatortest.Explore(t, ledgerConfig(copyOut), operatortest.Life{
			Parents: ledgerLife().Parents,
			Related: func(ledger client.Object) []client.Object {
				return []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: ledger.GetName(), Labels: label}}}
			},
		})
	})
	var left corev1.SecretList
	if err := cluster.Client.List(t.Context(), &left, client.InNamespace("default"), client.MatchingLabels(label)); err != nil {
		t.Fatal(err)
	}
	for _, secret := range left.Items {
		t.Errorf("Secret %s is left", secret.Name)
	}
}

// exploreAMemory explores an operator that remembers each seal for as long as it runs.
func exploreAMemory(t *testing.T) {
	var seals sync.Map
	config := sealedConfig(func(name, found string) string {
		first, _ := seals.LoadOrStore(name, found)
		return first.(string)
	})
	start := config.Controllers
	config.Controllers = func(mgr operator.Manager) ([]operator.Controller, error) {
		seals.Clear()
		return start(mgr)
	}
	ExampleExplore_related()
	testExploreRelated(t, config)
}

func TestExploreFindsThatAChangeOfARelatedObjectIsMissed(t *testing.T) {
	expectFailure(t, "memory",
		"Secret_*/related/", "the related object was changed: after a restart the operator desires or says something else in ledger.desired[\"ConfigMap *\"].data.text",
		"the change was taken back: after a restart", "again: go test -run '^TestFailing$/^Secret_",
	)
}
