package operator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// Two projects may have kinds of the same name.
func TestNameConflictNamesTheGroupOfAnotherKindOfTheName(t *testing.T) {
	t.Parallel()
	const uid = "c60dcc5c-3db1-4e80-83fb-d0e20fbd986b"
	for name, own := range map[string]func(*corev1.ConfigMap){
		"by reference": func(taken *corev1.ConfigMap) {
			kind := schema.GroupVersionKind{Group: "other.example.com", Version: "v1", Kind: "Site"}
			taken.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&metav1.ObjectMeta{Name: "web", UID: uid}, kind)}
		},
		"by label": func(taken *corev1.ConfigMap) {
			taken.Labels = map[string]string{"other.example.com/site": uid}
			taken.Annotations = map[string]string{"other.example.com/parent": "Site.other.example.com/" + taken.Namespace + "/web"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := &author{sync: desire(func(*Desired) {})}
			f := start(t, a)
			f.status("Ready", "Ready")
			taken := configMapIn(f.Namespace, "web")
			own(taken)
			f.Create(taken)
			a.setSync(desire(desireOne))
			f.reconcile()
			want := fmt.Sprintf("ConfigMap %s/web exists already and belongs to Site.other.example.com web: choose another name", f.Namespace)
			if message := f.status("Ready", "NameConflict").Conditions[0].Message; message != want {
				t.Errorf("message is %q, want %q", message, want)
			}
		})
	}
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
