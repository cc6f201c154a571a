package configmaplisting

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/configmap-list/api/v1alpha1"
)

// testConfig returns how tests run the operator: it works in the namespace of the test and in
// another.
func testConfig(other func(test string) string) operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
		Options: func(o *operator.Options) {
			o.Namespaces = append(o.Namespaces, other(o.Namespaces[0]))
		},
	}
}

// listingOf returns a parent that lists the ConfigMaps with a label.
func listingOf(name, namespace string, labels map[string]string) *v1alpha1.ConfigMapListing {
	return &v1alpha1.ConfigMapListing{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.ConfigMapListingSpec{
			SourceNamespace: namespace,
			Selector:        metav1.LabelSelector{MatchLabels: labels},
		},
	}
}

// TestExplore changes the list and what it lists behind the operator's back, changes what Sync
// desires, and lets requests fail. What it lists is in default.
func TestExplore(t *testing.T) {
	config := testConfig(func(string) string { return metav1.NamespaceDefault })
	named := func(name string) *v1alpha1.ConfigMapListing {
		return listingOf(name, metav1.NamespaceDefault, map[string]string{"for": name})
	}
	operatortest.Explore(t, config, operatortest.Life{
		Parents: operatortest.ParentsOf(named),
		Related: func(parent client.Object) []client.Object {
			return []client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Name: parent.GetName() + "-tea", Namespace: metav1.NamespaceDefault,
				Labels: map[string]string{"for": parent.GetName()},
			}}}
		},
	})
}

// start runs the operator against a real API server; without one the test skips. See make test-e2e.
// It returns another namespace, which exists, beside that of the test.
func start(t *testing.T) (cluster *operatortest.Cluster, other string) {
	t.Parallel()
	cluster = operatortest.Start(t, testConfig(func(test string) string { return test + "-other" }))
	other = cluster.Namespace + "-other"
	cluster.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}})
	return cluster, other
}

// configMap returns a ConfigMap that a listing of the label menu selects.
func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: namespace, Labels: map[string]string{"menu": "yes"},
	}}
}

// lists waits until a parent is Ready, its list has these names, and its status says how many.
func lists(
	cluster *operatortest.Cluster, listing *v1alpha1.ConfigMapListing, names string, count int32,
) {
	cluster.Eventually(fmt.Sprintf("%s lists %q", listing.Name, names), func() error {
		list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listing.Name}}
		if !cluster.Get(list) || list.Data["names"] != names {
			return fmt.Errorf("the list is %v", list.Data)
		}
		cluster.Get(listing)
		ready := meta.IsStatusConditionTrue(listing.Status.Conditions, "Ready")
		if !ready || listing.Status.Count != count {
			return fmt.Errorf("the status is %+v", listing.Status)
		}
		return nil
	})
}

func TestAListFollowsWhatItLists(t *testing.T) {
	cluster, other := start(t)
	listing := listingOf("listing", other, map[string]string{"menu": "yes"})
	tea, cake := configMap(other, "tea"), configMap(other, "cake")
	elsewhere := configMap("", "elsewhere") // beside the listing
	cluster.Create(tea, elsewhere, listing)
	lists(cluster, listing, "tea", 1)
	cluster.Converged(listing)

	// Only names matter: a change of the data costs no request.
	before := cluster.Settled()
	cluster.Update(tea, func() { tea.Data = map[string]string{"price": "2"} })
	if requests := cluster.Settled() - before; requests != 0 {
		t.Errorf("a change of the data made %d requests: %v", requests, cluster.Requests()[before:])
	}

	cluster.Create(cake)
	lists(cluster, listing, "cake\ntea", 2)
	cluster.Update(tea, func() { tea.Labels = nil })
	lists(cluster, listing, "cake", 1)
	cluster.Delete(cake)
	lists(cluster, listing, "", 0)
	cluster.Update(tea, func() { tea.Labels = map[string]string{"menu": "yes"} })
	lists(cluster, listing, "tea", 1)

	// Another namespace is another list.
	cluster.Update(listing, func() { listing.Spec.SourceNamespace = cluster.Namespace })
	lists(cluster, listing, "elsewhere", 1)
	cluster.Converged(listing)
	cluster.Truthful(listing)

	// The list goes with the listing, and what was listed stays.
	cluster.Delete(listing)
	cluster.Gone(listing, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listing.Name}})
	if !cluster.Get(elsewhere) {
		t.Error("a listed ConfigMap is gone")
	}
}

// childLabel is on every list: the runtime labels the children.
const childLabel = "configmaplist.example.com/configmaplisting"

// TestAListDoesNotContainItself has two parents select all lists of their own namespace. Each
// contains the other, and no list causes a hot loop.
func TestAListDoesNotContainItself(t *testing.T) {
	cluster, _ := start(t)
	one, two := listingOf("one", cluster.Namespace, nil), listingOf("two", cluster.Namespace, nil)
	for _, listing := range []*v1alpha1.ConfigMapListing{one, two} {
		listing.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{
			{Key: childLabel, Operator: metav1.LabelSelectorOpExists},
		}
	}
	cluster.Create(one)
	lists(cluster, one, "", 0)
	cluster.Converged(one)
	cluster.Create(two)
	lists(cluster, one, "two", 1)
	lists(cluster, two, "one", 1)
	cluster.Converged(one, two)
	cluster.Truthful(one, two)
	cluster.Delete(two)
	cluster.Gone(two)
	lists(cluster, one, "", 0)
	cluster.Converged(one)
}

func TestChangesOfOthers(t *testing.T) {
	cluster, other := start(t)
	listing := listingOf("listing", other, map[string]string{"menu": "yes"})
	cluster.Create(configMap(other, "tea"), listing)
	lists(cluster, listing, "tea", 1)

	list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: listing.Name}}
	cluster.Update(list, func() { list.Data["names"], list.Data["theirs"] = "coffee", "kept" })
	cluster.Matches(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: listing.Name},
		Data:       map[string]string{"names": "tea", "theirs": "kept"},
	})
	cluster.Exists(list)
	cluster.Delete(list)
	cluster.Gone(list)
	lists(cluster, listing, "tea", 1)
	cluster.Converged(listing)

	// The operator never overwrites a ConfigMap of others, and still counts.
	taken := listingOf("taken", other, map[string]string{"menu": "yes"})
	theirs := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: taken.Name},
		Data:       map[string]string{"names": "theirs"},
	}
	cluster.Create(theirs, taken)
	cluster.Eventually("Ready says NameConflict", func() error {
		cluster.Get(taken)
		ready := meta.FindStatusCondition(taken.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != "NameConflict" || taken.Status.Count != 1 {
			return fmt.Errorf("the status is %+v", taken.Status)
		}
		return nil
	})
	cluster.Matches(theirs)
	cluster.Delete(theirs)
	cluster.Gone(theirs)
	cluster.Reconciled(taken) // before the retry is due
	lists(cluster, taken, "tea", 1)
	cluster.Converged(listing, taken)
	cluster.Truthful(listing, taken)
}
