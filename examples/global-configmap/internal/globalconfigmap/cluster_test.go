package globalconfigmap

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

	"example.com/global-configmap/api/v1alpha1"
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
		Options: func(o *operator.Options) {
			o.ParentSelector = "test=" + o.Namespaces[0] // not the parents of other tests
			o.Namespaces = nil                           // the copies are in other namespaces
		},
	}
}

// allBut selects every namespace that does not have a label with this value, so that the namespaces
// of other tests get no copy.
func allBut(label, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: label, Operator: metav1.LabelSelectorOpNotIn, Values: []string{value}},
	}}
}

// TestExplore changes the source and the copy behind the operator's back, changes what Sync
// desires, and lets requests fail. The source is in default, and the copy in the namespace of the
// test.
func TestExplore(t *testing.T) {
	config, target := testConfig(), ""
	config.Options = func(o *operator.Options) {
		target = o.Namespaces[0]
		testConfig().Options(o)
	}
	named := func(name string) *v1alpha1.GlobalConfigMap {
		return &v1alpha1.GlobalConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha1.GlobalConfigMapSpec{
				SourceName: name, SourceNamespace: metav1.NamespaceDefault,
				Excluded: allBut(corev1.LabelMetadataName, target),
			},
		}
	}
	operatortest.Explore(t, config, operatortest.Life{
		Parents: operatortest.ParentsOf(named),
		Related: func(parent client.Object) []client.Object {
			source := settings(metav1.NamespaceDefault)
			source.Name = parent.GetName()
			return []client.Object{source}
		},
	})
}

// world has an API server, a source, a GlobalConfigMap and a namespace that gets a copy. Another
// such namespace does not exist yet.
type world struct {
	*operatortest.Cluster
	parent   *v1alpha1.GlobalConfigMap
	source   *corev1.ConfigMap
	one, two *corev1.Namespace
}

// start runs the operator against a real API server; without one the test skips. See make test-e2e.
func start(t *testing.T) world {
	t.Parallel()
	cluster := operatortest.Start(t, testConfig())
	label := map[string]string{"test": cluster.Namespace}
	namespace := func(name string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: label}}
	}
	w := world{
		Cluster: cluster,
		parent: &v1alpha1.GlobalConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: label},
			Spec: v1alpha1.GlobalConfigMapSpec{
				SourceName: "settings", SourceNamespace: cluster.Namespace,
				Excluded: allBut("test", cluster.Namespace),
			},
		},
		source: settings(cluster.Namespace),
		one:    namespace(cluster.Namespace + "-one"),
		two:    namespace(cluster.Namespace + "-two"),
	}
	cluster.Create(w.source, w.one, w.parent)
	w.says("Ready", 1, 1)
	return w
}

// says waits until the Ready condition has a reason and the status has these numbers, and as many
// copies exist.
func (w world) says(reason string, expected, actual int32) {
	what := fmt.Sprintf("Ready says %s, with %d of %d copies", reason, actual, expected)
	w.Eventually(what, func() error {
		w.Get(w.parent)
		status := w.parent.Status
		ready := meta.FindStatusCondition(status.Conditions, "Ready")
		if ready == nil || ready.Reason != reason ||
			status.ExpectedCopies != expected || status.ActualCopies != actual {
			return fmt.Errorf("the status is %+v", status)
		}
		if existing := len(w.Children(w.parent)); existing != int(actual) {
			return fmt.Errorf("%d copies exist", existing)
		}
		return nil
	})
}

func TestNamespacesGetACopy(t *testing.T) {
	w := start(t)
	w.Matches(settings(w.one.Name))

	// The namespace of the source gets no copy, although it is not excluded.
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	w.Update(own, func() { metav1.SetMetaDataLabel(&own.ObjectMeta, "test", w.Namespace) })
	w.Converged(w.parent)
	w.says("Ready", 1, 1)

	// A new namespace gets a copy. If it becomes excluded, it loses the copy.
	w.Create(w.two)
	w.Matches(settings(w.two.Name))
	w.says("Ready", 2, 2)
	w.Update(w.two, func() { w.two.Labels["test"] = "another" })
	w.Gone(settings(w.two.Name))
	w.says("Ready", 1, 1)
	w.Update(w.two, func() { w.two.Labels["test"] = w.Namespace })
	w.says("Ready", 2, 2)

	// A namespace that is deleted is no longer counted.
	w.Delete(w.two)
	w.Gone(w.two)
	w.says("Ready", 1, 1)
	w.Converged(w.parent)
	w.Truthful(w.parent)

	// The copies go with the parent, and the source stays.
	w.Delete(w.parent)
	w.Gone(w.parent, settings(w.one.Name))
	if !w.Get(w.source) {
		t.Error("the source is gone")
	}
}

func TestCopiesFollowTheSource(t *testing.T) {
	w := start(t)
	w.Update(w.source, func() { w.source.Data = map[string]string{"shape": "round"} })
	w.Eventually("the copy has the content of the source", func() error {
		copied := settings(w.one.Name)
		if w.Get(copied); len(copied.Data) != 1 || copied.Data["shape"] != "round" {
			return fmt.Errorf("it has %v", copied.Data)
		}
		return nil
	})

	// The copies go with the source, and come back with it.
	w.Delete(w.source)
	w.says("SourceMissing", 1, 0)
	w.Converged(w.parent)
	w.source = settings(w.Namespace)
	w.Create(w.source)
	w.Matches(settings(w.one.Name))
	w.says("Ready", 1, 1)

	// An immutable copy cannot change, so it is recreated when another source has its name.
	w.Update(w.source, func() { w.source.Immutable = new(true) })
	immutable := settings(w.one.Name)
	immutable.Immutable = new(true)
	w.Matches(immutable)
	w.Stop()
	w.Delete(w.source)
	w.source = settings(w.Namespace)
	w.source.Data["color"] = "green"
	w.Create(w.source)
	w.Restart()
	green := settings(w.one.Name)
	green.Data = w.source.Data
	w.Matches(green)
	w.Converged(w.parent)
	w.Truthful(w.parent)
}

func TestChangesOfOthers(t *testing.T) {
	w := start(t)
	copied := settings(w.one.Name)
	w.Update(copied, func() { copied.Data = map[string]string{"color": "red", "theirs": "kept"} })
	repaired := settings(w.one.Name)
	repaired.Data["theirs"] = "kept" // a key that the source does not have belongs to others
	w.Matches(repaired)

	w.Exists(copied)
	w.Delete(copied)
	w.Gone(copied)
	w.Matches(settings(w.one.Name))
	w.says("Ready", 1, 1)

	// The operator never overwrites a ConfigMap of others.
	theirs := settings(w.two.Name)
	theirs.Data = map[string]string{"theirs": "yes"}
	w.Stop()
	w.Create(w.two, theirs)
	w.Restart()
	w.says("NameConflict", 2, 1)
	if w.Get(theirs); len(theirs.Data) != 1 || theirs.Data["theirs"] != "yes" {
		t.Errorf("their ConfigMap has %v", theirs.Data)
	}
	w.Delete(theirs)
	w.Gone(theirs)
	w.Reconciled(w.parent) // before the retry is due
	w.says("Ready", 2, 2)
	w.Converged(w.parent)
	w.Truthful(w.parent)
}
