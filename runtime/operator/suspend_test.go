package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	pauseKey      = "test.opgen.dev/paused"
	disconnectKey = "test.opgen.dev/disconnect"
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
	for _, child := range []client.Object{named(&corev1.ConfigMap{}, "web"), named(&corev1.Pod{}, "runner")} {
		if !f.Get(child) || len(child.GetOwnerReferences()) > 0 || len(child.GetAnnotations()) > 0 {
			t.Errorf("%T: owners %v, annotations %v", child, child.GetOwnerReferences(), child.GetAnnotations())
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
