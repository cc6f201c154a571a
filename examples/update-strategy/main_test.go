package main

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/update-strategy/api/v1"
	"example.com/update-strategy/internal/configmap"
)

// start runs both controllers against a real API server; without one the test skips. See make test-e2e.
func start(t *testing.T) *operatortest.Cluster {
	t.Parallel()
	return operatortest.Start(t, operatortest.Config{
		Controllers: controllers,
		CRDs:        []string{"deploy/zz_generated.crd.yaml"},
		Roles:       "deploy/zz_generated.rbac.yaml",
		Schemes:     runtime.SchemeBuilder{v1.AddToScheme},
	})
}

// noted adds a key to the ConfigMap of a parent, as somebody else would.
func noted(cluster *operatortest.Cluster, parent string) *corev1.ConfigMap {
	found := configmap.For(parent, "")
	cluster.Exists(found)
	cluster.Update(found, func() { found.Data["note"] = "mine" })
	return found
}

// has waits until the ConfigMap of a parent contains a value, and the note or not.
func has(cluster *operatortest.Cluster, parent, value string, note bool) *corev1.ConfigMap {
	found := configmap.For(parent, "")
	cluster.Eventually(fmt.Sprintf("%s contains %s", found.Name, value), func() error {
		found = configmap.For(parent, "")
		if !cluster.Get(found) {
			return fmt.Errorf("it does not exist")
		}
		if _, noted := found.Data["note"]; found.Data["value"] != value || noted != note {
			return fmt.Errorf("it contains %v", found.Data)
		}
		return nil
	})
	return found
}

// ready returns the Ready condition of a parent once its reason is this one.
func ready(cluster *operatortest.Cluster, parent string, conditions func() []metav1.Condition, reason string) {
	cluster.Eventually(fmt.Sprintf("%s is Ready with the reason %s", parent, reason), func() error {
		is := meta.FindStatusCondition(conditions(), "Ready")
		if is == nil || is.Status != metav1.ConditionTrue || is.Reason != reason {
			return fmt.Errorf("it says %+v", is)
		}
		return nil
	})
}

func TestRecreate(t *testing.T) {
	cluster := start(t)
	demo := &v1.RecreateDemo{
		ObjectMeta: metav1.ObjectMeta{Name: "rcd"},
		Spec:       v1.RecreateDemoSpec{ConfigData: "v1"},
	}
	conditions := func() []metav1.Condition {
		cluster.Get(demo)
		return demo.Status.Conditions
	}
	cluster.Create(demo)
	first := noted(cluster, "rcd")
	cluster.Converged(demo) // what somebody else adds is no reason to recreate it
	if kept := has(cluster, "rcd", "v1", true); kept.UID != first.UID {
		t.Error("the ConfigMap was recreated because of a key that is not the operator's")
	}

	cluster.Update(demo, func() { demo.Spec.ConfigData = "v2" })
	second := has(cluster, "rcd", "v2", false)
	if second.UID == first.UID {
		t.Error("the ConfigMap is the same, want another one")
	}

	// It happens once: the note of somebody else starts no other recreation.
	noted(cluster, "rcd")
	ready(cluster, "rcd", conditions, "Ready")
	cluster.Converged(demo)
	if kept := has(cluster, "rcd", "v2", true); kept.UID != second.UID {
		t.Error("the ConfigMap was recreated once more")
	}
	cluster.Delete(demo)
	cluster.Gone(demo, second)
}

func TestOnDelete(t *testing.T) {
	cluster := start(t)
	demo := &v1.OnDeleteDemo{
		ObjectMeta: metav1.ObjectMeta{Name: "odd"},
		Spec:       v1.OnDeleteDemoSpec{ConfigData: "v1"},
	}
	conditions := func() []metav1.Condition {
		cluster.Get(demo)
		return demo.Status.Conditions
	}
	cluster.Create(demo)
	first := noted(cluster, "odd")
	ready(cluster, "odd", conditions, "Ready")

	cluster.Update(demo, func() { demo.Spec.ConfigData = "v2" })
	ready(cluster, "odd", conditions, "Outdated")
	cluster.Converged(demo)
	if kept := has(cluster, "odd", "v1", true); kept.UID != first.UID {
		t.Error("the ConfigMap was recreated")
	}
	if demo.Status.ConfigData != "v1" {
		t.Errorf("the status says %q, and the ConfigMap contains v1", demo.Status.ConfigData)
	}

	cluster.Delete(first)
	second := has(cluster, "odd", "v2", false)
	ready(cluster, "odd", conditions, "Ready")
	cluster.Converged(demo)
	cluster.Delete(demo)
	cluster.Gone(demo, second)
}
