package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

const (
	pauseKey      = "test.opgen.dev/paused"
	disconnectKey = "test.opgen.dev/disconnect"
	formerKey     = "test.opgen.dev/disconnected-from"
)

func (f *fixture) annotate(key, value string) {
	f.t.Helper()
	f.Update(f.site, func() {
		delete(f.site.Annotations, key)
		if value != "" {
			metav1.SetMetaDataAnnotation(&f.site.ObjectMeta, key, value)
		}
	})
}

func TestPausedParentIsLeftAlone(t *testing.T) {
	a := &author{sync: desire(desireOne)}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.annotate(pauseKey, "true")
	status := f.status("Suspended", "Paused")
	if !meta.IsStatusConditionTrue(status.Conditions, "Ready") || status.Phase != "Synced" {
		t.Errorf("the status of before is gone: %+v", status)
	}
	child := named(&corev1.ConfigMap{}, "web")
	f.Update(child, func() { child.Data["key"] = "edited" })
	f.setSync(desire(func(*Desired) {}))
	before := f.Settled()
	f.Update(f.site, func() { f.site.Spec.Text = "changed" })
	f.Settled()
	f.expectRequests(before)

	f.annotate(pauseKey, "")
	f.Gone(child)
	f.Settled()
	if status := f.status("Ready", "Ready"); meta.FindStatusCondition(status.Conditions, "Suspended") != nil {
		t.Errorf("conditions are %v", status.Conditions)
	}
}

func TestPausedParentThatIsDeletedWaits(t *testing.T) {
	a := &author{sync: desire(desireOne)}
	finalized := make(chan struct{}, 100)
	a.finalize = func(context.Context, *Request) (*Response, error) {
		finalized <- struct{}{}
		return &Response{Children: new(Desired), Finalized: true}, nil
	}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.annotate(pauseKey, "true")
	f.status("Suspended", "Paused")
	before := f.Settled()
	f.Delete(f.site)
	f.Reconciled(f.site)
	f.Settled()
	f.expectRequests(before)
	if f.Get(f.site); f.site.DeletionTimestamp == nil || len(f.site.Finalizers) != 1 || len(finalized) > 0 {
		t.Errorf("deleted at %v, finalizers %v, finalized %d times; want it to wait", f.site.DeletionTimestamp, f.site.Finalizers, len(finalized))
	}
	f.Exists(configMap("web", ""))
	f.annotate(pauseKey, "")
	f.Gone(f.site, configMap("web", ""))
	if len(finalized) == 0 {
		t.Error("Finalize was never called")
	}
}

func TestDisconnectedParentReleasesItsChildren(t *testing.T) {
	a := &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "one"))
		want.Pods.Add(pod("runner", "nginx"))
	})}
	a.finalize = func(context.Context, *Request) (*Response, error) {
		return &Response{Children: new(Desired), Finalized: true}, nil
	}
	f := start(t, a)
	f.status("Ready", "Progressing")
	f.annotate(disconnectKey, "true")
	f.status("Suspended", "Disconnected")
	f.Get(f.site)
	for _, child := range []client.Object{named(&corev1.ConfigMap{}, "web"), named(&corev1.Pod{}, "runner")} {
		if !f.Get(child) || len(child.GetOwnerReferences())+len(child.GetLabels()) > 0 || len(child.GetAnnotations()) != 1 || child.GetAnnotations()[formerKey] != string(f.site.UID) {
			t.Errorf("%T: owners %v, labels %v, annotations %v", child, child.GetOwnerReferences(), child.GetLabels(), child.GetAnnotations())
		}
	}
	if f.Get(f.site); len(f.site.Finalizers) > 0 {
		t.Errorf("finalizers are %v", f.site.Finalizers)
	}
	before := f.Settled()
	child := named(&corev1.ConfigMap{}, "web")
	f.Update(child, func() { child.Data["key"] = "edited" })
	f.Delete(f.site)
	f.Gone(f.site)
	f.Settled()
	f.expectRequests(before)
	f.Exists(child)
}

// Whoever may write a parent could otherwise keep a child that was made with the operator's
// permissions for good.
func TestTenantDisconnectsNoChildOfAKindThatForbidsIt(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*siteDefinition){
		"deleted by the garbage collector": func(*siteDefinition) {},
		"deleted by the operator":          func(d *siteDefinition) { d.Teardown = operator.TeardownOrdered },
	} {
		t.Run(name, func(t *testing.T) {
			a := &author{sync: desire(func(want *Desired) {
				want.ConfigMaps.Add(configMap("web", "one"))
				want.Secrets.Add(named(&corev1.Secret{}, "powerful"))
			})}
			a.alter = func(d *siteDefinition) {
				alter(d)
				d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
					all := kinds(observed, desired)
					all[1].ForbidDisconnect = true
					return all
				}
			}
			f := start(t, a)
			f.status("Ready", "Ready")
			f.annotate(disconnectKey, "true")
			f.status("Suspended", "Disconnected")
			free, powerful := named(&corev1.ConfigMap{}, "web"), named(&corev1.Secret{}, "powerful")
			f.Exists(free, powerful)
			if len(free.Labels) > 0 || len(powerful.Labels) == 0 {
				t.Errorf("labels are %v and %v, want the second child alone to be the parent's", free.Labels, powerful.Labels)
			}
			f.Settled()
			f.Delete(f.site)
			f.Gone(f.site, powerful)
			f.Exists(free)
		})
	}
}

func TestAnnotationsThatTheSpecFileForbidsHaveNoEffect(t *testing.T) {
	t.Parallel()
	for _, key := range []string{pauseKey, disconnectKey} {
		t.Run(strings.TrimPrefix(key, "test.opgen.dev/"), func(t *testing.T) {
			a := &author{sync: desire(desireOne)}
			a.alter = func(d *siteDefinition) { d.ForbidPause, d.ForbidDisconnect = key == pauseKey, key == disconnectKey }
			f := start(t, a)
			f.status("Ready", "Ready")
			f.annotate(key, "true")
			child := named(&corev1.ConfigMap{}, "web")
			f.Update(child, func() { child.Data["key"] = "edited" })
			f.Eventually("drift is repaired", func() error { return expectValue(f.Cluster, child, "one") })
			if meta.FindStatusCondition(f.status("Ready", "Ready").Conditions, "Suspended") != nil || len(child.Labels) == 0 {
				t.Errorf("the parent is suspended, or the child has lost its labels: %v", child.Labels)
			}
			f.Delete(f.site)
			f.Gone(f.site, child)
		})
	}
}

// The way back: the same parent takes its children back, whatever the adoption policy.
func TestParentThatIsConnectedAgainTakesItsChildrenBack(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "one"))
		want.Secrets.Add(named(&corev1.Secret{}, "kept"), orphaned...)
		want.Services.Add(service("created-only"), operator.CreateOnly)
		want.Pods.Add(pod("runner", "nginx"))
	})})
	f.status("Ready", "Progressing")
	children := []client.Object{configMap("web", ""), named(&corev1.Secret{}, "kept"), service("created-only"), named(&corev1.Pod{}, "runner")}
	f.Exists(children...)
	for range 2 { // twice, since the marks of the first time must not be in the way
		f.annotate(disconnectKey, "true")
		f.status("Suspended", "Disconnected")
		f.Settled()
		drifted := configMap("web", "")
		f.Update(drifted, func() { drifted.Data["key"] = "edited" })
		f.annotate(disconnectKey, "")
		f.Eventually("the children are the parent's again", func() error {
			for i, child := range children {
				uid := child.GetUID()
				f.Get(child)
				_, former := child.GetAnnotations()[formerKey]
				if child.GetUID() != uid || former || (len(child.GetOwnerReferences()) == 1) == (i == 1) {
					return fmt.Errorf("%T: UID %s, before %s; owners %v, annotations %v", child, child.GetUID(), uid, child.GetOwnerReferences(), child.GetAnnotations())
				}
			}
			return expectValue(f.Cluster, drifted, "one")
		})
		f.Converged(f.site)
	}
}

// A stranger can write the annotation, and a backup can bring it back on another object.
func TestStrangerWhoPlantsTheMarkOfADisconnectedParentGivesNothingToIt(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(f *fixture, planted *corev1.ConfigMap) (manager string){
		"written by another field manager": func(f *fixture, planted *corev1.ConfigMap) string {
			planted.Annotations = map[string]string{formerKey: string(f.site.UID)}
			return "kubectl-create"
		},
		"of another parent": func(_ *fixture, planted *corev1.ConfigMap) string {
			planted.Annotations = map[string]string{formerKey: "uid-of-another"}
			return "opgen/site.test.opgen.dev"
		},
		"controlled by something else": func(f *fixture, planted *corev1.ConfigMap) string {
			planted.Annotations = map[string]string{formerKey: string(f.site.UID)}
			owner := named(&corev1.Secret{}, "owner")
			f.Create(owner)
			planted.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("Secret"))}
			return "opgen/site.test.opgen.dev"
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, &author{sync: desire(func(*Desired) {})})
			f.status("Ready", "Ready")
			f.Get(f.site)
			planted := configMap("web", "planted")
			planted.Namespace = f.Namespace
			manager := plant(f, planted)
			if err := f.Client.Create(t.Context(), planted, client.FieldOwner(manager)); err != nil {
				t.Fatal(err)
			}
			f.setSync(desire(desireOne))
			f.reconcile()
			f.status("Ready", "NameConflict")
			if f.Get(planted); planted.Data["key"] != "planted" {
				t.Errorf("it holds %v", planted.Data)
			}
		})
	}
}

// After a restore of objects, parents have other UIDs. What a person gives to the new parent by an
// owner reference, with cleared managedFields, is its child again.
func TestRestoredObjectWithAReferenceToTheNewParentIsItsChild(t *testing.T) {
	f := start(t, &author{sync: desire(func(*Desired) {})})
	f.status("Ready", "Ready")
	f.Get(f.site)
	restored := configMap("web", "restored")
	restored.Labels = map[string]string{"test.opgen.dev/site": "uid-before-the-restore"}
	restored.Annotations = map[string]string{"test.opgen.dev/desired-hash": "before the restore"}
	f.Create(restored)
	f.setSync(desire(desireOne))
	f.reconcile()
	f.status("Ready", "NameConflict")
	f.Update(restored, func() {
		restored.OwnerReferences = []metav1.OwnerReference{{APIVersion: "test.opgen.dev/v1", Kind: "Site", Name: "web", UID: f.site.UID, Controller: new(true), BlockOwnerDeletion: new(true)}}
		restored.ManagedFields = []metav1.ManagedFieldsEntry{{}} // so that it does not count as a copy
	})
	uid := restored.UID
	f.status("Ready", "Ready")
	if f.Get(restored); restored.UID != uid || restored.Labels["test.opgen.dev/site"] != string(f.site.UID) {
		t.Errorf("UID %s, before %s; labels %v", restored.UID, uid, restored.Labels)
	}
	f.Converged(f.site)
}

// The conditions of a suspended parent stay as they are, so an Event says why a disconnect does not come about.
func TestDisconnectThatIsRefusedIsSaid(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.Settled()
	allow := f.Deny(named(&corev1.ConfigMap{}, "web"), "update", metav1.Status{Reason: metav1.StatusReasonForbidden, Code: 403, Message: "nobody may change it"})
	f.annotate(disconnectKey, "true")
	f.expectEvent("nobody may change it")
	allow()
	f.status("Suspended", "Disconnected")
}
