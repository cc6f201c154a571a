package secretpropagation

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

	"example.com/secret-propagation/api/v1alpha1"
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

// TestExplore changes the source and the copy behind the operator's back, changes what Sync
// desires, and lets requests fail. The source is in default, and the copy in the namespace of the
// test.
func TestExplore(t *testing.T) {
	config, target := testConfig(), ""
	config.Options = func(o *operator.Options) {
		target = o.Namespaces[0]
		testConfig().Options(o)
	}
	named := func(name string) *v1alpha1.SecretPropagation {
		return &v1alpha1.SecretPropagation{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1alpha1.SecretPropagationSpec{
				SourceName: name, SourceNamespace: metav1.NamespaceDefault,
				TargetNamespaceLabelSelector: metav1.LabelSelector{
					MatchLabels: map[string]string{corev1.LabelMetadataName: target},
				},
			},
		}
	}
	operatortest.Explore(t, config, operatortest.Life{
		Parents: operatortest.ParentsOf(named),
		Related: func(parent client.Object) []client.Object {
			source := token(metav1.NamespaceDefault, "one")
			source.Name = parent.GetName()
			return []client.Object{source}
		},
	})
}

// world has an API server, a source, a SecretPropagation and two namespaces that it selects.
type world struct {
	*operatortest.Cluster
	parent   *v1alpha1.SecretPropagation
	source   *corev1.Secret
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
		parent: &v1alpha1.SecretPropagation{
			ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: label},
			Spec: v1alpha1.SecretPropagationSpec{
				SourceName: "token", SourceNamespace: cluster.Namespace,
				TargetNamespaceLabelSelector: metav1.LabelSelector{MatchLabels: label},
			},
		},
		source: token(cluster.Namespace, "one"),
		one:    namespace(cluster.Namespace + "-one"),
		two:    namespace(cluster.Namespace + "-two"),
	}
	cluster.Create(w.source, w.one, w.two, w.parent)
	w.says("Ready", 2, 2)
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

// copies waits until both namespaces have a copy with this value.
func (w world) copies(value string) {
	w.Matches(token(w.one.Name, value), token(w.two.Name, value))
}

func TestCopiesFollowTheSource(t *testing.T) {
	w := start(t)
	w.copies("one")
	w.Converged(w.parent)

	// A rotation of the source costs one request for each copy.
	before := w.Settled()
	w.Update(w.source, func() { w.source.Data["token"] = []byte("two") })
	w.copies("two")
	if requests := w.Settled() - before; requests != 2 {
		t.Errorf("a rotation made %d requests, want 2: %v", requests, w.Requests()[before:])
	}

	// The type of a Secret is immutable. A source of another type recreates the copies.
	w.Stop()
	w.Delete(w.source)
	w.source = token(w.Namespace, "three")
	w.source.Type = "example.com/token"
	w.Create(w.source)
	w.Restart()
	for _, namespace := range []string{w.one.Name, w.two.Name} {
		recreated := token(namespace, "three")
		recreated.Type = w.source.Type
		w.Matches(recreated)
	}
	w.says("Ready", 2, 2)
	w.Converged(w.parent)

	// The copies go with the source, and come back with it.
	w.Delete(w.source)
	w.says("SourceMissing", 2, 0)
	w.Converged(w.parent)
	w.source = token(w.Namespace, "four")
	w.Create(w.source)
	w.copies("four")
	w.says("Ready", 2, 2)
	w.Converged(w.parent)
	w.Truthful(w.parent)

	// They go with the parent, and the source stays.
	w.Delete(w.parent)
	w.Gone(w.parent, token(w.one.Name, ""), token(w.two.Name, ""))
	if !w.Get(w.source) {
		t.Error("the source is gone")
	}
}

func TestNamespacesAreSelectedByLabels(t *testing.T) {
	w := start(t)
	w.Update(w.two, func() { w.two.Labels["test"] = "another" })
	w.Gone(token(w.two.Name, ""))
	w.says("Ready", 1, 1)
	w.Update(w.two, func() { w.two.Labels["test"] = w.Namespace })
	w.says("Ready", 2, 2)

	// The namespace of the source gets no copy, although it is selected.
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	w.Update(own, func() { metav1.SetMetaDataLabel(&own.ObjectMeta, "test", w.Namespace) })
	w.Converged(w.parent)
	w.says("Ready", 2, 2)

	// A namespace that is deleted is no longer counted.
	w.Delete(w.two)
	w.Gone(w.two)
	w.says("Ready", 1, 1)
	w.Converged(w.parent)
	w.Truthful(w.parent)
}

func TestChangesOfOthers(t *testing.T) {
	w := start(t)
	copied := token(w.one.Name, "")
	w.Update(copied, func() {
		copied.Data = map[string][]byte{"token": []byte("stolen"), "theirs": []byte("kept")}
	})
	repaired := token(w.one.Name, "one")
	repaired.Data["theirs"] = []byte("kept") // a key of others
	w.Matches(repaired)

	w.Exists(copied)
	w.Delete(copied)
	w.Gone(copied)
	w.copies("one")
	w.says("Ready", 2, 2)

	// The operator never overwrites a Secret of others.
	w.Stop()
	theirs := token(w.two.Name, "one")
	w.Exists(theirs)
	w.Delete(theirs)
	w.Gone(theirs)
	theirs = token(w.two.Name, "theirs")
	w.Create(theirs)
	w.Restart()
	w.says("NameConflict", 2, 1)
	w.Matches(token(w.two.Name, "theirs"))
	w.Delete(theirs)
	w.Gone(theirs)
	w.Reconciled(w.parent) // before the retry is due
	w.says("Ready", 2, 2)
	w.copies("one")
	w.Converged(w.parent)
	w.Truthful(w.parent)
}
