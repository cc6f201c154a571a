package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

const foreignFinalizer = "test.opgen.dev/someone-elses"

func desireOne(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) }

func TestChildThatIsSlowToGoIsWaitedFor(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	f.reconcile()
	child := named(&corev1.ConfigMap{}, "web")
	f.Update(child, func() { child.Finalizers = []string{foreignFinalizer} })
	f.Delete(child)
	f.status("Ready", "Progressing")
	before := f.Settled()
	f.reconcile()
	f.expectRequests(before)

	first := child.UID
	f.Update(child, func() { child.Finalizers = nil })
	f.status("Ready", "Ready")
	if f.Get(child); child.UID == first {
		t.Error("the child is the same as before")
	}
}

func TestChildOfAnEarlierParentMayBeSlowToGo(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	child := named(&corev1.ConfigMap{}, "web")
	f.Update(child, func() { child.Finalizers = []string{foreignFinalizer} })
	f.Delete(f.site)
	f.Gone(f.site)
	f.site = site("web")
	f.Create(f.site)
	f.Eventually("the garbage collector deletes the old child", func() error {
		if f.Get(child); child.DeletionTimestamp == nil {
			return fmt.Errorf("it has not")
		}
		return nil
	})
	f.reconcile()
	if message := f.status("Ready", "NameConflict").Conditions[0].Message; !strings.Contains(message, "is being deleted") {
		t.Errorf("message is %q", message)
	}
	f.Update(child, func() { child.Finalizers = nil })
	f.status("Ready", "Ready")
	if f.Get(child); child.OwnerReferences[0].UID != f.site.UID {
		t.Errorf("owners are %v", child.OwnerReferences)
	}
}

func TestChildOfAnotherParentIsLeftAlone(t *testing.T) {
	f := start(t, &author{sync: desire(desireOne)})
	f.status("Ready", "Ready")
	second := &fixture{Cluster: f.Cluster, author: f.author, t: t, site: site("second")}
	f.Create(second.site)
	if message := second.status("Ready", "NameConflict").Conditions[0].Message; !strings.Contains(message, "belongs to Site web") {
		t.Errorf("message is %q", message)
	}
	f.Delete(f.site)
	second.status("Ready", "Ready")
}

func TestControllersShareAKindOfChildren(t *testing.T) {
	t.Parallel()
	a := &author{sync: desire(desireOne)}
	b := realms(t, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
		want := new(realmDesired)
		child := configMap("realm", "one")
		child.Namespace = req.Parent.Name
		want.ConfigMaps.Add(child)
		return &realmResponse{Children: want}, nil
	})
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			first, _ := a.controllers(mgr)
			second, _ := b(mgr)
			return append(first, second...), nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	realm := makeRealm(t, cluster)
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(f.site, realm)
	f.status("Ready", "Ready")
	ofRealm, ofSite := configMap("realm", ""), configMap("web", "")
	f.Exists(ofRealm, ofSite)
	before := f.Settled()
	f.reconcile()
	f.expectRequests(before)
	f.Update(ofRealm, func() { ofRealm.Data["key"] = "edited" })
	f.Eventually("its own controller repairs the drift", func() error {
		if f.Get(ofRealm); ofRealm.Data["key"] != "one" {
			return fmt.Errorf("data is %v", ofRealm.Data)
		}
		return nil
	})
	f.Delete(realm)
	f.Gone(ofRealm)
	f.Exists(ofSite)
}
