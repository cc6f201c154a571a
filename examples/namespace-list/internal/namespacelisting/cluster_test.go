package namespacelisting

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/namespace-list/api/v1alpha1"
)

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
	}
}

// listingOf returns a parent that lists the namespaces with a label.
func listingOf(name, label, value string) *v1alpha1.NamespaceListing {
	return &v1alpha1.NamespaceListing{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.NamespaceListingSpec{Selector: metav1.LabelSelector{
			MatchLabels: map[string]string{label: value},
		}},
	}
}

// TestExplore changes the list behind the operator's back, changes what Sync desires, and lets
// requests fail.
func TestExplore(t *testing.T) {
	named := func(name string) *v1alpha1.NamespaceListing {
		return listingOf(name, corev1.LabelMetadataName, metav1.NamespaceDefault)
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

// lists waits until the parent is Ready, its list has these names, and its status says how many.
func lists(
	cluster *operatortest.Cluster, listing *v1alpha1.NamespaceListing, names string, count int32,
) {
	cluster.Eventually(fmt.Sprintf("the list is %q", names), func() error {
		list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listing.Name}}
		if !cluster.Get(list) || list.Data["names"] != names {
			return fmt.Errorf("it is %v", list.Data)
		}
		cluster.Get(listing)
		ready := meta.IsStatusConditionTrue(listing.Status.Conditions, "Ready")
		if !ready || listing.Status.Count != count {
			return fmt.Errorf("the status is %+v", listing.Status)
		}
		return nil
	})
}

// TestNamespaceListing runs the operator against a real API server; without one it skips. See make
// test-e2e.
func TestNamespaceListing(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	listing := listingOf("listing", "test", cluster.Namespace) // not the namespaces of other tests
	namespace := func(suffix string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: cluster.Namespace + suffix, Labels: listing.Spec.Selector.MatchLabels,
		}}
	}
	one, two := namespace("-one"), namespace("-two")
	both := one.Name + "\n" + two.Name
	cluster.Create(listing)
	lists(cluster, listing, "", 0)
	cluster.Create(two)
	lists(cluster, listing, two.Name, 1)
	cluster.Create(one)
	lists(cluster, listing, both, 2)
	cluster.Converged(listing)

	// A namespace with other labels is not listed.
	cluster.Update(one, func() { one.Labels["test"] = "another" })
	lists(cluster, listing, two.Name, 1)
	cluster.Update(one, func() { one.Labels["test"] = cluster.Namespace })
	lists(cluster, listing, both, 2)

	// A namespace is listed until it is gone.
	cluster.Delete(two)
	cluster.Gone(two)
	lists(cluster, listing, one.Name, 1)

	// What somebody changes is repaired, and what somebody adds stays.
	list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listing.Name}}
	cluster.Update(list, func() { list.Data["names"], list.Data["theirs"] = "none", "kept" })
	cluster.Matches(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: listing.Name},
		Data:       map[string]string{"names": one.Name, "theirs": "kept"},
	})
	cluster.Exists(list)
	cluster.Delete(list)
	cluster.Gone(list)
	lists(cluster, listing, one.Name, 1)
	cluster.Converged(listing)
	cluster.Truthful(listing)

	// The list goes with the listing, and the namespaces stay.
	cluster.Delete(listing)
	cluster.Gone(listing, list)
	if !cluster.Get(one) {
		t.Error("a listed namespace is gone")
	}
}
