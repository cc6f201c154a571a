package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// recordKey is the annotation that a child carries which was adopted as it is.
const recordKey = "test.opgen.dev/adopted-as-it-is"

// desireAsItIs desires a Deployment that is adopted as it is.
func desireAsItIs(image string, replicas int32, options ...operator.ChildOption) workloadFunction {
	return func(_ *workloadRequest, want *workloadDesired) {
		want.Deployments.Add(deploymentWith(image, replicas), append(options, operator.AdoptAsItIs)...)
	}
}

func desireNothing(*workloadRequest, *workloadDesired) {}

// foreignDeployment creates a Deployment as kubectl apply does, with another template than the operator
// desires, and waits until the cluster runs it.
func (w *workloads) foreignDeployment() {
	w.t.Helper()
	theirs := deploymentWith("theirs:1", 3)
	theirs.Namespace = w.Namespace
	theirs.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"}
	theirs.Labels = map[string]string{"team": "blue"}
	theirs.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MODE", Value: "fast"}}
	theirs.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	if err := w.Client.Create(w.t.Context(), theirs, client.FieldOwner("kubectl-client-side-apply")); err != nil {
		w.t.Fatal(err)
	}
	w.Eventually("the Deployment has a ReplicaSet", func() error {
		if w.Get(w.deployment); w.deployment.Status.ObservedGeneration == 0 || w.deployment.Status.UnavailableReplicas != 3 {
			return fmt.Errorf("its status is %+v", w.deployment.Status)
		}
		return nil
	})
}

// watchRolls records the versions that a watch shows of the Deployment, without their status. The function
// that it returns waits until the watch has shown the current version, and returns all replicas
// and images, one after the other.
func (w *workloads) watchRolls() (seen func() []string) {
	w.t.Helper()
	w.Get(w.deployment)
	version := w.deployment.ResourceVersion
	events, err := w.watcher().Watch(w.t.Context(), &appsv1.DeploymentList{}, client.InNamespace(w.Namespace), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(events.Stop)
	return func() (seen []string) {
		w.t.Helper()
		w.Get(w.deployment)
		last, late := w.deployment.ResourceVersion, time.After(30*time.Second)
		for version != last {
			select {
			case event := <-events.ResultChan():
				deployment, ok := event.Object.(*appsv1.Deployment)
				if !ok || event.Type == watch.Deleted {
					w.t.Fatalf("the watch shows %s %v", event.Type, event.Object)
				}
				version = deployment.ResourceVersion
				seen = append(seen, rollOf(deployment))
			case <-late:
				w.t.Fatalf("the watch is at %s, and the Deployment at %s", version, last)
			}
		}
		return slices.Compact(seen)
	}
}

// rollOf returns what changes when a Deployment is rolled or scaled. That excludes its generation, in which annotations
// count.
func rollOf(deployment *appsv1.Deployment) string {
	return fmt.Sprintf("%d of %s", *deployment.Spec.Replicas, deployment.Spec.Template.Spec.Containers[0].Image)
}

// replicaSets returns the images of all ReplicaSets of the test, in the order of their names.
func (w *workloads) replicaSets() (images []string) {
	w.t.Helper()
	var list appsv1.ReplicaSetList
	if err := w.Client.List(w.t.Context(), &list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	for _, set := range list.Items {
		images = append(images, set.Spec.Template.Spec.Containers[0].Image)
	}
	return images
}

// keepsTheirs checks that the Deployment is as its first author has applied it, and the child of the Site.
func (w *workloads) keepsTheirs(replicas int32) {
	w.t.Helper()
	w.Get(w.site)
	w.Get(w.deployment)
	template := w.deployment.Spec.Template.Spec
	switch owner := metav1.GetControllerOf(w.deployment); {
	case owner == nil || owner.UID != w.site.UID:
		w.t.Errorf("it belongs to %v", owner)
	case template.Containers[0].Image != "theirs:1" || len(template.Containers[0].Env) != 1 || template.NodeSelector["disk"] != "ssd":
		w.t.Errorf("its template is %+v", template)
	case *w.deployment.Spec.Replicas != replicas, w.deployment.Labels["team"] != "blue", w.deployment.Annotations["kubectl.kubernetes.io/last-applied-configuration"] != "{}":
		w.t.Errorf("it has %d replicas, %v and %v", *w.deployment.Spec.Replicas, w.deployment.Labels, w.deployment.Annotations)
	case w.deployment.Annotations[recordKey] == "":
		w.t.Errorf("its annotations are %v", w.deployment.Annotations)
	}
	if images := w.replicaSets(); !slices.Equal(images, []string{"theirs:1"}) {
		w.t.Errorf("the ReplicaSets are of %v", images)
	}
}

// A Deployment of kubectl becomes a child without a restart, by one write and the one of the status. It
// stays as it is through restarts of the operator.
func TestDeploymentIsAdoptedAsItIs(t *testing.T) {
	for _, strategy := range []operator.UpdateStrategy{operator.InPlace, operator.RollingInPlace, operator.Recreate, operator.RollingRecreate, operator.OnDelete, operator.CreateOnly} {
		t.Run(string(strategy), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			seen, before := w.watchRolls(), w.Settled()
			w.desire(desireAsItIs("web:1", 2, strategy))
			w.Settled()
			w.sent(before, []string{"create deployments web: 409", "get deployments web: 200", "patch deployments web: 200", "patch sites/status web: 200"})
			before = w.Settled()
			w.converged()
			w.Restart()
			w.converged()
			w.sent(before, nil)
			if strategy != operator.CreateOnly {
				w.keepsTheirs(3)
			}
			w.Truthful(w.site)
			if rolls := seen(); !slices.Equal(rolls, []string{"3 of theirs:1"}) {
				t.Errorf("the watch shows %v", rolls)
			}
		})
	}
}

// A change reaches the field that is desired otherwise, and no other. From then on that field is ours.
func TestChangesOfAnAdoptedDeployment(t *testing.T) {
	for _, strategy := range []operator.UpdateStrategy{operator.InPlace, operator.RollingInPlace} {
		t.Run(string(strategy), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2, strategy))
			before := w.Settled()
			w.desire(desireAsItIs("web:1", 5, strategy))
			w.Settled()
			w.sent(before, []string{"patch deployments web: 200", "patch sites/status web: 200"})
			w.converged()
			w.keepsTheirs(5)
			w.desire(desireAsItIs("web:1", 2, strategy)) // a value of the record, which has left it
			w.Restart()
			w.converged()
			w.keepsTheirs(2)
			w.scale(9)
			w.Eventually("drift in the field that was applied is repaired", func() error {
				if got := w.replicas(); got != 2 {
					return fmt.Errorf("%d replicas", got)
				}
				return nil
			})
			seen := w.watchRolls()
			w.desire(desireAsItIs("web:2", 2, strategy))
			w.converged()
			w.Get(w.deployment)
			template := w.deployment.Spec.Template.Spec
			if template.Containers[0].Image != "web:2" || template.NodeSelector["disk"] != "ssd" || len(template.Containers[0].Env) != 1 {
				t.Errorf("its template is %+v", template)
			}
			if rolls := seen(); len(rolls) == 0 || !strings.HasSuffix(rolls[len(rolls)-1], "2 of web:2") {
				t.Errorf("the watch shows %v", rolls)
			}
			w.Truthful(w.site)
		})
	}
}

// A strategy that recreates makes the new Deployment from all that is desired.
func TestChangeRecreatesAnAdoptedDeployment(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2, operator.Recreate))
	w.converged()
	w.Get(w.deployment)
	uid := w.deployment.UID
	w.desire(desireAsItIs("web:1", 5, operator.Recreate))
	w.converged()
	if w.Get(w.deployment); w.deployment.UID == uid || rollOf(w.deployment) != "5 of web:1" || w.deployment.Annotations[recordKey] != "" {
		t.Errorf("it is %s with %v", rollOf(w.deployment), w.deployment.Annotations)
	}
}

// A change waits until somebody deletes the Deployment, and can be taken back before.
func TestChangeOfAnAdoptedDeploymentOnDelete(t *testing.T) {
	w := startWorkloads(t, nil, desireNothing)
	w.foreignDeployment()
	w.desire(desireAsItIs("web:1", 2, operator.OnDelete))
	w.converged()
	other := desireAsItIs("web:2", 5, operator.OnDelete)
	w.desires.Store(&other)
	w.touch()
	w.shows(metav1.ConditionTrue, "Outdated")
	w.converged()
	w.keepsTheirs(3)
	w.desire(desireAsItIs("web:1", 2, operator.OnDelete))
	w.converged()
	w.keepsTheirs(3)
	w.desires.Store(&other)
	w.touch()
	w.shows(metav1.ConditionTrue, "Outdated")
	w.Delete(w.deployment)
	w.ready()
	w.converged()
	if w.Get(w.deployment); rollOf(w.deployment) != "5 of web:2" {
		t.Errorf("it is %s", rollOf(w.deployment))
	}
}

// Whoever edits an adopted Deployment keeps the change, as long as nothing else is desired there. What
// makes it a child is repaired.
func TestEditsOfAnAdoptedDeployment(t *testing.T) {
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

// The operator ends at the write that adopts, its answer is lost, or somebody writes in between.
func TestAdoptionThatIsInterrupted(t *testing.T) {
	for _, fault := range []operatortest.Fault{
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.Before, What: operatortest.Crash},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Crash},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.TimeTravel},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Lose},
		{Verb: "patch", Resource: "deployments", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseConflict, Once: true},
		{Verb: "create", Resource: "deployments", Nth: 1, When: operatortest.After, What: operatortest.Crash},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			seen := w.watchRolls()
			w.Inject(fault)
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			if w.Struck(fault) == 0 {
				t.Error("nothing went wrong")
			}
			w.keepsTheirs(3)
			if rolls := seen(); !slices.Equal(rolls, []string{"3 of theirs:1"}) {
				t.Errorf("the watch shows %v", rolls)
			}
		})
	}
}

// What the operator itself has set for an earlier parent stays as well.
func TestFormerChildIsAdoptedAsItIs(t *testing.T) {
	for name, before := range map[string]func(w *workloads){"created": func(*workloads) {}, "applied": dropLabel} {
		t.Run(name, func(t *testing.T) {
			orphaned := []operator.ChildOption{operator.WhenDropped(operator.Orphan)}
			w := startWorkloads(t, nil, desireAsItIs("theirs:1", 3, orphaned...))
			before(w)
			w.desire(desireAsItIs("theirs:1", 3, orphaned...))
			w.desire(desireNothing)
			w.Settled()
			if w.Get(w.deployment); len(w.deployment.OwnerReferences) > 0 {
				t.Fatalf("it belongs to %v", w.deployment.OwnerReferences)
			}
			seen := w.watchRolls()
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			w.desire(desireAsItIs("web:1", 5))
			w.converged()
			if w.Get(w.deployment); w.deployment.Spec.Template.Spec.Containers[0].Image != "theirs:1" || *w.deployment.Spec.Replicas != 5 {
				t.Errorf("it is %s", rollOf(w.deployment))
			}
			for _, roll := range seen() {
				if !strings.HasSuffix(roll, "3 of theirs:1") && !strings.HasSuffix(roll, "5 of theirs:1") {
					t.Errorf("the watch shows %s", roll)
				}
			}
		})
	}
}

// A Deployment that is orphaned, disconnected or deleted is not the one that was adopted.
func TestAdoptedDeploymentThatGoes(t *testing.T) {
	for name, test := range map[string]struct {
		leave  func(w *workloads)
		option operator.ChildOption
		marks  bool // it keeps the record, for the time when it is taken back
	}{
		"it is dropped": {func(w *workloads) { w.desire(desireNothing) }, operator.WhenDropped(operator.Orphan), false},
		"its parent is disconnected": {func(w *workloads) {
			w.Update(w.site, func() { metav1.SetMetaDataAnnotation(&w.site.ObjectMeta, "test.opgen.dev/disconnect", "true") })
			w.Settled()
		}, operator.WhenDropped(operator.Delete), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2, test.option))
			w.converged()
			test.leave(w)
			w.Eventually("it has no owner", func() error {
				if w.Get(w.deployment); len(w.deployment.OwnerReferences) > 0 || w.deployment.Labels["test.opgen.dev/site"] != "" {
					return errors.New("it has one")
				}
				return nil
			})
			if _, isMarked := w.deployment.Annotations[recordKey]; isMarked != test.marks {
				t.Errorf("its annotations are %v", w.deployment.Annotations)
			}
			w.Update(w.site, func() { delete(w.site.Annotations, "test.opgen.dev/disconnect") })
			w.desire(desireAsItIs("web:1", 2, test.option))
			w.converged()
			w.keepsTheirs(3)
			w.desire(desireNothing)
			w.Settled()
		})
	}
	t.Run("its parent is deleted", func(t *testing.T) {
		w := startWorkloads(t, nil, desireNothing)
		w.foreignDeployment()
		w.desire(desireAsItIs("web:1", 2))
		w.converged()
		w.Delete(w.site)
		w.Gone(w.deployment)
	})
	t.Run("somebody puts another in its place", func(t *testing.T) {
		w := startWorkloads(t, nil, desireNothing)
		w.foreignDeployment()
		w.desire(desireAsItIs("web:1", 2))
		w.converged()
		w.Stop()
		w.Delete(w.deployment)
		w.Gone(w.deployment)
		w.foreignDeployment()
		w.Restart()
		w.Eventually("it is adopted", func() error {
			if w.Get(w.deployment); len(w.deployment.OwnerReferences) == 0 {
				return errors.New("it is not")
			}
			return nil
		})
		w.converged()
		w.keepsTheirs(3)
	})
}

// Another release, or another answer of Sync, does not adopt as it is any more.
func TestAdoptedDeploymentIsAppliedWithoutTheOption(t *testing.T) {
	for name, restart := range map[string]func(w *workloads){"at once": func(*workloads) {}, "after a restart": (*workloads).Restart} {
		t.Run(name, func(t *testing.T) {
			w := startWorkloads(t, nil, desireNothing)
			w.foreignDeployment()
			w.desire(desireAsItIs("web:1", 2))
			w.converged()
			plain := desirePlain("web:1", 2)
			w.desires.Store(&plain)
			restart(w)
			w.touch()
			w.Eventually("it is applied", func() error {
				w.Get(w.deployment)
				if _, isMarked := w.deployment.Annotations[recordKey]; isMarked || w.deployment.Spec.Template.Spec.Containers[0].Image != "web:1" {
					return fmt.Errorf("it is %s with %v", rollOf(w.deployment), w.deployment.Annotations)
				}
				return nil
			})
			w.converged()
			w.desire(desireAsItIs("web:1", 2)) // and it was adopted before
			w.converged()
		})
	}
}

// desirePlain desires a Deployment without options.
func desirePlain(image string, replicas int32) workloadFunction {
	return func(_ *workloadRequest, want *workloadDesired) {
		want.Deployments.Add(deploymentWith(image, replicas))
	}
}

func TestSecretIsNotAdoptedAsItIs(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.AdoptAsItIs)
	})})
	if message := f.status("Ready", "InvalidChild").Conditions[0].Message; !strings.Contains(message, "use IfUnowned") {
		t.Errorf("message is %q", message)
	}
	f.setSync(desire(func(want *Desired) {
		want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.AdoptAsItIs, operator.CreateOnly)
	}))
	f.reconcile()
	f.status("Ready", "Ready")
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
