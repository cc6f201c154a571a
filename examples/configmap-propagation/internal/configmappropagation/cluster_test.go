package configmappropagation

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/configmap-propagation/api/v1alpha1"
)

// world is a real API server, without which the test skips (see make test-e2e), where a source and a
// ConfigMapPropagation exist. Their names are those of no other test.
type world struct {
	*operatortest.Cluster
	source      *corev1.ConfigMap
	propagation *v1alpha1.ConfigMapPropagation
	one, two    *corev1.Namespace
}

// start has the operator propagate a source to the namespaces one, which exists, and two, which does not.
func start(t *testing.T) world {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
		Options: func(o *operator.Options) {
			o.ParentSelector = "test=" + o.Namespaces[0]
			o.Namespaces = nil // copies go to other namespaces than the test's
		},
	})
	w := world{
		Cluster: cluster,
		source:  settings(cluster.Namespace),
		one:     &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace + "-one"}},
		two:     &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace + "-two"}},
	}
	w.propagation = &v1alpha1.ConfigMapPropagation{
		ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace, Labels: map[string]string{"test": cluster.Namespace}},
		Spec: v1alpha1.ConfigMapPropagationSpec{
			SourceName: w.source.Name, SourceNamespace: w.source.Namespace,
			TargetNamespaces: []string{w.one.Name, w.two.Name},
		},
	}
	cluster.Create(w.source, w.one, w.propagation)
	w.says("NamespaceMissing", w.two.Name)
	w.counts(2, 1)
	return w
}

// says waits until the Ready condition has a reason and a message with a text in it.
func (w world) says(reason, text string) {
	w.Eventually(fmt.Sprintf("Ready says %s: %s", reason, text), func() error {
		w.Get(w.propagation)
		ready := meta.FindStatusCondition(w.propagation.Status.Conditions, "Ready")
		if ready == nil || ready.Reason != reason || !strings.Contains(ready.Message, text) {
			return fmt.Errorf("it is %+v", ready)
		}
		return nil
	})
}

// counts waits until the status has these numbers, and holds them against the copies that there are.
func (w world) counts(expected, actual int32) {
	w.Eventually(fmt.Sprintf("the status says %d of %d", actual, expected), func() error {
		w.Get(w.propagation)
		if status := w.propagation.Status; status.ExpectedCopies != expected || status.ActualCopies != actual {
			return fmt.Errorf("it says %d of %d", status.ActualCopies, status.ExpectedCopies)
		}
		if there := len(w.Children(w.propagation)); there != int(actual) {
			return fmt.Errorf("there are %d copies", there)
		}
		return nil
	})
}

// both has the second namespace made, too.
func (w world) both() {
	w.Create(w.two)
	w.says("Ready", "every child")
	w.counts(2, 2)
}

func TestCopiesFollowTheSource(t *testing.T) {
	w := start(t)
	w.both()
	w.Matches(settings(w.one.Name), settings(w.two.Name))
	w.Converged(w.propagation)

	// A change of the source costs a request for each copy.
	before := w.Settled()
	w.Update(w.source, func() { w.source.Data["colour"] = "green" })
	for _, namespace := range []string{w.one.Name, w.two.Name} {
		copied := settings(namespace)
		copied.Data = w.source.Data
		w.Matches(copied)
	}
	if requests := w.Settled() - before; requests != 2 {
		t.Errorf("a change of the source made %d requests, want 2: %v", requests, w.Requests()[before:])
	}
	w.Update(w.source, func() { w.source.Data = map[string]string{"shape": "round"} })
	for _, namespace := range []string{w.one.Name, w.two.Name} {
		w.Eventually("the copy has what the source has, and no more", func() error {
			copied := settings(namespace)
			if w.Get(copied); len(copied.Data) != 1 || copied.Data["shape"] != "round" {
				return fmt.Errorf("it has %v", copied.Data)
			}
			return nil
		})
	}

	// Copies go with the source, and come with it.
	w.Delete(w.source)
	w.says("SourceMissing", w.source.Namespace+"/settings")
	w.counts(2, 0)
	w.Converged(w.propagation)
	w.source = settings(w.Namespace)
	w.Create(w.source)
	w.says("Ready", "every child")
	w.counts(2, 2)
	w.Converged(w.propagation)

	// They go with the ConfigMapPropagation, too; the source stays.
	w.Delete(w.propagation)
	w.Gone(settings(w.one.Name), settings(w.two.Name))
	if !w.Get(w.source) {
		t.Error("the source is gone")
	}
}

func TestCopiesAreRepaired(t *testing.T) {
	w := start(t)
	w.both()
	changed, deleted := settings(w.one.Name), settings(w.two.Name)
	w.Exists(deleted)
	w.Update(changed, func() { changed.Data = map[string]string{"colour": "red"} })
	w.Matches(settings(w.one.Name))
	w.Delete(deleted)
	w.Gone(deleted)
	w.Matches(settings(w.two.Name))
	w.counts(2, 2)
	w.Converged(w.propagation)
}

func TestWhatHappensWhileTheOperatorIsDown(t *testing.T) {
	w := start(t)
	w.both()
	w.Update(w.source, func() { w.source.Immutable = new(true) })
	frozen := settings(w.two.Name)
	frozen.Immutable = new(true)
	w.Matches(frozen)

	// The source is another one now: the copies can only be recreated.
	w.Stop()
	w.Delete(w.source, settings(w.one.Name))
	w.Update(w.propagation, func() { w.propagation.Spec.TargetNamespaces = []string{w.two.Name} })
	w.source = settings(w.Namespace)
	w.source.Data = map[string]string{"colour": "green"}
	w.Create(w.source)
	w.Restart()
	copied := settings(w.two.Name)
	copied.Data = w.source.Data
	w.Matches(copied)
	w.says("Ready", "every child")
	w.counts(1, 1)
	w.Converged(w.propagation)
}

func TestNamespacesAreSelectedByLabels(t *testing.T) {
	w := start(t)
	team := map[string]string{"team": w.Namespace}
	w.Update(w.propagation, func() { w.propagation.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: team} })
	w.Update(w.propagation, func() { w.propagation.Spec.TargetNamespaces = []string{w.one.Name} })
	w.says("Ready", "every child")
	w.counts(1, 1)

	w.two.Labels = team
	w.Create(w.two)
	w.counts(2, 2)
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	w.Update(own, func() { own.Labels["team"] = w.Namespace })
	w.Converged(w.propagation) // the source has no copy beside it

	w.Update(w.two, func() { w.two.Labels["team"] = "another" })
	w.counts(1, 1)
	w.Converged(w.propagation)
}

func TestANamespaceGoes(t *testing.T) {
	w := start(t)
	w.both()
	// One that is being deleted holds a copy for a while, which the operator does not put back.
	held := settings(w.two.Name)
	w.Update(held, func() { held.Finalizers = []string{"example.com/held"} })
	w.Delete(w.two)
	w.says("NamespaceMissing", w.two.Name)
	w.Converged(w.propagation)
	w.Update(held, func() { held.Finalizers = nil })
	w.Gone(w.two)
	w.counts(2, 1)
	w.Converged(w.propagation)
	if failed := w.Errors(w.propagation); len(failed) > 0 {
		t.Logf("passes that came too late for the namespace: %v", failed)
	}
}

func TestAConfigMapOfOthersIsNotTouched(t *testing.T) {
	w := start(t)
	theirs := settings(w.two.Name)
	theirs.Data = map[string]string{"theirs": "yes"}
	w.Stop()
	w.Create(w.two, theirs)
	w.Restart()
	w.says("NameConflict", w.two.Name)
	w.counts(2, 1)
	w.Matches(settings(w.one.Name))
	if w.Get(theirs); len(theirs.Data) != 1 || theirs.Data["theirs"] != "yes" {
		t.Errorf("their ConfigMap has %v", theirs.Data)
	}
	w.Delete(theirs)
	w.Gone(theirs)
	w.Reconciled(w.propagation) // or when the retry is due
	w.counts(2, 2)
	w.says("Ready", "every child")
	w.Converged(w.propagation)
}
