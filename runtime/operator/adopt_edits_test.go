package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Whoever edits an adopted Deployment keeps the change, as long as nothing else is desired there. What
// makes it a child is repaired.
func TestEditsOfAnAdoptedDeployment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit   func(*appsv1.Deployment)
		isDown bool // the operator is down meanwhile
		isKept func(*appsv1.Deployment) bool
	}{
		"the replicas":                          {func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(4)) }, false, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 4 }},
		"the replicas, while it is down":        {func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(4)) }, true, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 4 }},
		"the annotation is removed":             {func(d *appsv1.Deployment) { delete(d.Annotations, recordKey) }, false, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"the annotation is edited":              {func(d *appsv1.Deployment) { d.Annotations[recordKey] = "0" }, false, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"all annotations are removed":           {func(d *appsv1.Deployment) { d.Annotations = nil }, false, nil},
		"the hash is removed, while it is down": {func(d *appsv1.Deployment) { delete(d.Annotations, "test.opgen.dev/desired-hash") }, true, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"the marks are removed": {func(d *appsv1.Deployment) {
			delete(d.Labels, "test.opgen.dev/site")
			d.OwnerReferences = nil
		}, false, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"managedFields are wiped":                   {func(d *appsv1.Deployment) { d.ManagedFields = []metav1.ManagedFieldsEntry{{}} }, false, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"managedFields are wiped, while it is down": {func(d *appsv1.Deployment) { d.ManagedFields = []metav1.ManagedFieldsEntry{{}} }, true, func(d *appsv1.Deployment) bool { return *d.Spec.Replicas == 3 }},
		"another field is set, and the hash removed": {func(d *appsv1.Deployment) {
			d.Spec.MinReadySeconds = 7
			d.Annotations["test.opgen.dev/desired-hash"] = ""
		}, false, func(d *appsv1.Deployment) bool { return d.Spec.MinReadySeconds == 7 }},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			w.Get(w.deployment)
			record := w.deployment.Annotations[recordKey]
			if test.isDown {
				w.Stop()
			}
			w.Update(w.deployment, func() { test.edit(w.deployment) })
			if test.isDown {
				w.Restart()
			}
			w.Eventually("what makes it a child is there", func() error {
				w.Get(w.deployment)
				if w.deployment.Annotations[recordKey] != record || w.deployment.Labels["test.opgen.dev/site"] != string(w.site.UID) || len(w.deployment.OwnerReferences) != 1 {
					return fmt.Errorf("it has %v, %v and %v", w.deployment.Annotations, w.deployment.Labels, w.deployment.OwnerReferences)
				}
				return nil
			})
			w.ready()
			w.converged()
			if w.Get(w.deployment); test.isKept != nil && !test.isKept(w.deployment) {
				t.Errorf("its spec is %+v", w.deployment.Spec)
			}
			if images := w.replicaSets(); !slices.Equal(images, []string{"theirs:1"}) {
				t.Errorf("the ReplicaSets are of %v", images)
			}
			w.desire(desireAsItIs("web:1", 6))
			w.converged()
			if got := w.replicas(); got != 6 || w.deployment.Spec.Template.Spec.Containers[0].Image != "theirs:1" {
				t.Errorf("after a change it is %s", rollOf(w.deployment))
			}
		})
	}
}

// Somebody who forges the record of a child, or of an object that is none, freezes no field.
func TestRecordOfSomebodyElseCountsForNothing(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2))
	w.converged()
	w.Get(w.deployment)
	record := w.deployment.Annotations[recordKey]
	w.Delete(w.deployment)
	w.Eventually("another is created", func() error {
		if !w.Get(w.deployment) || rollOf(w.deployment) != "2 of web:1" || w.deployment.Annotations[recordKey] != "" {
			return errors.New("it is not")
		}
		return nil
	})
	w.converged()
	w.Stop()
	w.Update(w.deployment, func() {
		metav1.SetMetaDataAnnotation(&w.deployment.ObjectMeta, recordKey, record)
		w.deployment.Spec.Replicas = new(int32(4))
	})
	w.Restart()
	w.Eventually("drift is repaired", func() error {
		if got := w.replicas(); got != 2 {
			return fmt.Errorf("%d replicas", got)
		}
		return nil
	})
}

// The annotation is gone, and with it what was desired at the adoption: the whole child is applied.
func TestRecordThatWasRemovedWhileTheOperatorWasDown(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2))
	w.converged()
	w.Stop()
	w.Get(w.deployment)
	w.Update(w.deployment, func() { delete(w.deployment.Annotations, recordKey) })
	w.Restart()
	w.Eventually("it is applied", func() error {
		if w.Get(w.deployment); *w.deployment.Spec.Replicas != 2 || w.deployment.Spec.Template.Spec.Containers[0].Image != "web:1" {
			return errors.New(rollOf(w.deployment))
		}
		return nil
	})
	w.converged()
	if w.Get(w.deployment); w.deployment.Spec.Template.Spec.NodeSelector["disk"] != "ssd" || w.deployment.Labels["team"] != "blue" {
		t.Errorf("what others have set is gone: %+v", w.deployment)
	}
}

// What another object controls stays as it is, until that object orphans it.
func TestControlledDeploymentIsNotAdoptedAsItIs(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	controller := named(&corev1.ConfigMap{}, "controller")
	w.Create(controller)
	w.Update(w.deployment, func() {
		w.deployment.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(controller, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	})
	asItIs := desireAsItIs("web:1", 2)
	w.desires.Store(&asItIs)
	w.touch()
	w.shows(metav1.ConditionFalse, "NameConflict")
	if w.Get(w.deployment); rollOf(w.deployment) != "3 of theirs:1" || w.deployment.Annotations[recordKey] != "" || w.deployment.OwnerReferences[0].UID != controller.UID {
		t.Errorf("it is %s of %v with %v", rollOf(w.deployment), w.deployment.OwnerReferences, w.deployment.Annotations)
	}
	w.Update(w.deployment, func() { w.deployment.OwnerReferences = nil })
	w.desire(desireAsItIs("web:1", 2))
	w.converged()
	w.keepsTheirs(3)
}

// Another parent wants the Deployment, too, at the same time or later.
func TestTwoParentsAdoptTheSameDeployment(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	both := desireAsItIs("web:1", 2)
	w.desires.Store(&both)
	other := site("other")
	w.Create(other)
	w.touch()
	w.Eventually("one has it", func() error {
		if w.Get(w.deployment); metav1.GetControllerOf(w.deployment) == nil {
			return errors.New("none has it")
		}
		return nil
	})
	w.Settled()
	w.Get(w.deployment)
	owner := metav1.GetControllerOf(w.deployment)
	if owner == nil || len(w.deployment.OwnerReferences) != 1 || w.deployment.Labels["test.opgen.dev/site"] != string(owner.UID) || rollOf(w.deployment) != "3 of theirs:1" {
		t.Errorf("it is %s of %v with %v", rollOf(w.deployment), w.deployment.OwnerReferences, w.deployment.Labels)
	}
	reasons := map[types.UID]string{}
	for _, parent := range []string{"web", "other"} {
		current := site(parent)
		w.Get(current)
		reasons[current.UID] = current.Status.Conditions[0].Reason
	}
	for uid, reason := range reasons {
		if expected := map[bool]string{true: "Ready", false: "NameConflict"}[uid == owner.UID]; reason != expected {
			t.Errorf("the reason of %s is %s, want %s", uid, reason, expected)
		}
	}
}
