package operator_test

import (
	"context"
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

// Whoever may write a parent could otherwise keep a child that was made with the operator's
// permissions for good.
func TestTenantDisconnectsNoChildOfAKindThatForbidsIt(t *testing.T) {
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
