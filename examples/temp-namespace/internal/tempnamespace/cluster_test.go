package tempnamespace

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/temp-namespace/api/v1alpha1"
)

// start runs the operator against a real API server; without one the test skips. See make test-e2e. It returns a
// TempNamespace for an hour, whose name no other test has, and its Namespace, neither of which exists yet.
func start(t *testing.T) (*operatortest.Cluster, *v1alpha1.TempNamespace, *corev1.Namespace) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
		Options: func(o *operator.Options) { o.ParentSelector = "test=" + o.Namespaces[0] }, // each test has a clock of its own
	})
	name := cluster.Namespace + "-temp"
	temp := &v1alpha1.TempNamespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"test": cluster.Namespace}},
		Spec:       v1alpha1.TempNamespaceSpec{DeleteAfter: oneHour},
	}
	return cluster, temp, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func eventuallyDeleted(cluster *operatortest.Cluster, temp *v1alpha1.TempNamespace) {
	cluster.Eventually("the status says when it was deleted", func() error {
		if cluster.Get(temp); temp.Status.DeletedAt == nil {
			return errors.New("it does not")
		}
		return nil
	})
}

func TestItLivesForItsTime(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(temp)
	cluster.Exists(namespace)
	if requests := cluster.Settled(); requests != 2 {
		t.Errorf("a new TempNamespace cost %d requests, want 2 (Namespace, status): %v", requests, cluster.Requests())
	}
	cluster.Get(temp)
	begun := temp.Status.CreatedAt
	if begun == nil || temp.Status.DeletedAt != nil {
		t.Fatalf("the status is %+v", temp.Status)
	}

	// What somebody deletes comes back, for the rest of the time and no longer.
	cluster.Advance(30 * time.Minute)
	first := namespace.DeepCopy()
	cluster.Delete(namespace)
	cluster.Gone(first)
	cluster.Exists(namespace)
	cluster.Restart()
	cluster.Advance(20 * time.Minute)
	cluster.Converged(temp)
	if cluster.Get(namespace); namespace.DeletionTimestamp != nil {
		t.Error("the Namespace is deleted before its time")
	}
	cluster.Advance(11 * time.Minute)
	cluster.Gone(namespace)
	eventuallyDeleted(cluster, temp)
	if !temp.Status.CreatedAt.Equal(begun) {
		t.Errorf("createdAt was %s and is %s", begun, temp.Status.CreatedAt)
	}
	cluster.Converged(temp)

	// It does not come back.
	cluster.Update(temp, func() { temp.Spec.DeleteAfter.Duration = 24 * time.Hour })
	cluster.Converged(temp)
	if cluster.Get(namespace) {
		t.Error("the Namespace is back")
	}
}

func TestItsTimeMayChangeAndBeOverWhileTheOperatorIsDown(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(temp)
	cluster.Exists(namespace)
	cluster.Update(temp, func() { temp.Spec.DeleteAfter.Duration = 3 * time.Hour })
	cluster.Settled()
	cluster.Advance(2 * time.Hour)
	cluster.Converged(temp)
	if cluster.Get(namespace); namespace.DeletionTimestamp != nil {
		t.Error("the Namespace is deleted before its time")
	}
	cluster.Stop()
	cluster.Advance(2 * time.Hour)
	cluster.Restart()
	cluster.Gone(namespace)
	eventuallyDeleted(cluster, temp)
	cluster.Converged(temp)
}

func TestAnOwnerReferenceThatSomebodyRemovesComesBack(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(temp)
	cluster.Exists(namespace)
	cluster.Settled()
	cluster.Update(namespace, func() { namespace.OwnerReferences = nil })
	cluster.Eventually("the Namespace has its owner again", func() error {
		if cluster.Get(namespace); len(namespace.OwnerReferences) == 0 {
			return errors.New("it has none")
		}
		return nil
	})
	cluster.Converged(temp)
}

func TestTheNamespaceGoesWithItsTempNamespace(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(temp)
	cluster.Exists(namespace)
	cluster.Delete(temp)
	cluster.Gone(temp, namespace)
}

func TestTheStatusSaysWhatKeepsTheNamespace(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(temp)
	cluster.Exists(namespace)
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "held", Namespace: namespace.Name, Finalizers: []string{"example.com/held"},
	}}
	cluster.Create(held)
	cluster.Advance(time.Hour)
	cluster.Eventually("the status says what keeps the Namespace", func() error {
		if cluster.Get(temp); !strings.Contains(temp.Status.Error, "example.com/held") {
			return errors.New("the error is " + temp.Status.Error)
		}
		return nil
	})
	if temp.Status.DeletedAt != nil {
		t.Error("a Namespace that is still there is said to be deleted")
	}
	cluster.Converged(temp)
	cluster.Update(held, func() { held.Finalizers = nil })
	cluster.Gone(namespace)
	eventuallyDeleted(cluster, temp)
	if temp.Status.Error != "" {
		t.Errorf("the Namespace is gone, and the error still says: %s", temp.Status.Error)
	}
	cluster.Converged(temp)
}

func TestANamespaceOfOthersIsNotTouched(t *testing.T) {
	cluster, temp, namespace := start(t)
	cluster.Create(namespace, temp)
	cluster.Eventually("the TempNamespace says that the name is taken", func() error {
		cluster.Get(temp)
		if ready := meta.FindStatusCondition(temp.Status.Conditions, "Ready"); ready == nil || ready.Reason != "NameConflict" {
			return errors.New("it does not")
		}
		return nil
	})
	cluster.Advance(2 * time.Hour)
	eventuallyDeleted(cluster, temp)
	cluster.Converged(temp)
	if !cluster.Get(namespace) || namespace.DeletionTimestamp != nil || len(namespace.OwnerReferences) > 0 {
		t.Errorf("the Namespace of others is now %+v", namespace.ObjectMeta)
	}
}

func TestDurationsThatAreNoneAreRefused(t *testing.T) {
	cluster, temp, _ := start(t)
	for _, duration := range []string{"", "soon", "1d", "0s", "-1h", "9999999h"} {
		object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"deleteAfter": duration}}}
		object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("TempNamespace"))
		object.SetName(temp.Name)
		err := cluster.Client.Create(t.Context(), object)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "deleteAfter") {
			t.Errorf("deleteAfter %q: %v", duration, err)
		}
	}
}
