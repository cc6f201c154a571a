package operatortest_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// neverFinalized keeps its children and never lets its parent go.
func neverFinalized(definition *ledgerDefinition) {
	definition.Finalize = func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		return &ledgerResponse{Status: &LedgerStatus{Phase: "Held"}}, nil
	}
}

// heldByFinalize ends with a parent that Finalize never lets go of.
func heldByFinalize(t *testing.T) {
	cluster, ledger := run(t, copyOut, define(neverFinalized))
	cluster.LetsGoWithin(time.Second)
	cluster.Matches(textMap("web", "one"))
	t.Logf("runs in %s", cluster.Namespace)
	cluster.Converged(ledger)
}

func TestCleanUpNamesWhatFinalizeHoldsAndLeavesNothing(t *testing.T) {
	output := expectFailure(t, "held", "the operator never removed its finalizer of Ledger web, for 1s: Ready=False, Finalizing: is being deleted")
	namespace := regexp.MustCompile("runs in (operatortest-[a-z0-9]+)").FindStringSubmatch(output)
	if namespace == nil {
		t.Fatalf("the output names no namespace:\n%s", output)
	}
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil }})
	awaitNamespaceGone(t, cluster, namespace[1])
}

// awaitKeptNamespaceGone is awaitNamespaceGone for a test of this process. It deletes the namespace if this run keeps them.
func awaitKeptNamespaceGone(t *testing.T, cluster *operatortest.Cluster, name string) {
	t.Helper()
	if os.Getenv("OPGEN_TEST_KEEP_NAMESPACES") != "" {
		cluster.Delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	awaitNamespaceGone(t, cluster, name)
}

// awaitNamespaceGone waits longer than Gone: on a busy machine, the controller of namespaces takes minutes.
func awaitNamespaceGone(t *testing.T, cluster *operatortest.Cluster, name string) {
	t.Helper()
	for range 600 {
		err := cluster.Client.Get(t.Context(), client.ObjectKey{Name: name}, new(corev1.Namespace))
		if apierrors.IsNotFound(err) {
			return
		}
		time.Sleep(time.Second)
	}
	t.Errorf("the namespace %s still exists", name)
}

// What was created past the harness is deleted, too, and an operator that is
// stopped lets go of nothing.
func TestCleanUpLeavesNothingOfAnOperatorThatIsStopped(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	var namespace string
	t.Run("test", func(t *testing.T) {
		cluster := operatortest.Start(t, ledgerConfig(copyOut, define(neverFinalized)))
		namespace = cluster.Namespace
		ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}
		if err := cluster.Client.Create(t.Context(), ledger); err != nil {
			t.Fatal(err)
		}
		cluster.Matches(textMap("web", ""))
		cluster.Stop()
	})
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil }})
	awaitKeptNamespaceGone(t, cluster, namespace)
}

// backUpAtLast returns the controllers of an operator whose Finalize makes a ConfigMap, which is the parent of
// another controller and has a finalizer of it. The ConfigMap outlives the Ledger.
func backUpAtLast(operator.Manager) ([]operator.Controller, error) {
	ledgers := defineLedgers(copyOut)
	ledgers.Finalize = func(_ context.Context, req *ledgerRequest) (*ledgerResponse, error) {
		want := new(ledgerChildren)
		backup := textMap(req.Parent.Name+"-backup", req.Parent.Spec.Text)
		backup.Labels = map[string]string{"kind": "backup"}
		want.ConfigMaps.Add(backup, operator.WhenDeleted(operator.Orphan))
		exists := req.Children.ConfigMaps.Health(backup.Name).State == operator.HealthReady
		return &ledgerResponse{Children: want, Finalized: exists}, nil
	}
	type request = operator.Request[*corev1.ConfigMap, struct{}, struct{}]
	type response = operator.Response[struct{}, struct{}]
	finalize := func(context.Context, *request) (*response, error) { return &response{Finalized: true}, nil }
	backups := operator.Definition[*corev1.ConfigMap, struct{}, struct{}, struct{}, struct{}]{
		Name: "backup", Group: group, Parents: []operator.ParentKind{{Object: new(corev1.ConfigMap), Labels: "kind=backup"}},
		Sync: func(context.Context, *request) (*response, error) { return new(response), nil }, Finalize: finalize,
	}
	return []operator.Controller{operator.NewController(ledgers), operator.NewController(backups)}, nil
}

// TestCleanUpDeletesParentsThatFinalizeMakes ends a test whose operator makes a last backup.
func TestCleanUpDeletesParentsThatFinalizeMakes(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	var namespace string
	t.Run("test", func(t *testing.T) {
		config := ledgerConfig(copyOut)
		config.Controllers = backUpAtLast
		cluster := operatortest.Start(t, config)
		namespace = cluster.Namespace
		cluster.Create(&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
		cluster.Matches(textMap("web", ""))
	})
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil }})
	awaitKeptNamespaceGone(t, cluster, namespace)
}

// The CRDs stay, and are kubectl's as if make install had installed them.
func TestInstalledCRDsDoNotConflictWithKubectl(t *testing.T) {
	cluster, _ := run(t, copyOut)
	installed, err := os.ReadFile("testdata/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(installed, []byte("singular: ledger"), []byte("singular: record"))
	if bytes.Equal(changed, installed) {
		t.Fatal("testdata/crd.yaml has no name to change")
	}
	patch := client.RawPatch(types.ApplyPatchType, changed)
	crd := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
	crd.Name = "ledgers.operatortest.opgen.dev"
	if err := cluster.Client.Patch(t.Context(), crd, patch, client.FieldOwner("kubectl"), client.DryRunAll); err != nil {
		t.Error(err)
	}
}

// A CRD that stands in for one of somebody else's is installed where there is none, and never in
// the place of that one.
func TestStandInCRDsLeaveRealOnesAlone(t *testing.T) {
	start := func() *operatortest.Cluster {
		return operatortest.Start(t, operatortest.Config{
			Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
			CRDs:        []string{"testdata/standin.yaml"},
		})
	}
	cluster := start()
	crd := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
	crd.Name = "standins.operatortest.opgen.dev"
	t.Cleanup(func() {
		if err := cluster.Client.Delete(context.Background(), crd); err != nil {
			t.Error(err)
		}
	})
	version := func() string {
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(crd), crd); err != nil {
			t.Fatal(err)
		}
		return crd.ResourceVersion
	}
	if version(); crd.Annotations["opgen.dev/stand-in"] != "true" {
		t.Fatal("the stand-in is not there")
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"opgen.dev/stand-in":null,"real":"true"}}}`))
	if err := cluster.Client.Patch(t.Context(), crd, patch); err != nil {
		t.Fatal(err)
	}
	before := version()
	start()
	if after := version(); after != before {
		t.Errorf("the real CRD was changed: %v", crd.Annotations)
	}
}

func TestGoneLeavesItsArgumentAlone(t *testing.T) {
	cluster, ledger := run(t, copyOut)
	child := textMap("web", "one")
	cluster.Exists(child)
	seen, named := child.DeepCopy(), textMap("web", "")
	cluster.Delete(ledger)
	cluster.Gone(child, named)
	if diff := operatortest.DiffSubset(seen, child) + operatortest.DiffSubset(child, seen); diff != "" {
		t.Errorf("what was seen before has changed:\n%s", diff)
	}
	if named.Namespace != "" || named.UID != "" {
		t.Errorf("what was only named has changed: %+v", named.ObjectMeta)
	}
}
