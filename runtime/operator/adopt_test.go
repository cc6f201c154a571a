package operator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// adopting runs a Site that wants the ConfigMap "web" under a policy, after
// somebody made one of that name with kubectl.
func adopting(t *testing.T, policy operator.AdoptionPolicy, options ...operator.ChildOption) (*fixture, *corev1.ConfigMap) {
	t.Helper()
	a := &author{sync: desire(func(*Desired) {})}
	f := start(t, a)
	f.status("Ready", "Ready")
	object := configMap("web", "theirs")
	object.Data["extra"] = "theirs"
	object.Namespace = f.Namespace
	if err := f.Client.Create(t.Context(), object, client.FieldOwner("kubectl-client-side-apply")); err != nil {
		t.Fatal(err)
	}
	a.setSync(desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "ours"), append(options, policy)...)
	}))
	return f, object
}

func TestUnownedObjectIsAdopted(t *testing.T) {
	f, object := adopting(t, operator.AdoptIfUnowned)
	uid := object.UID
	f.reconcile()
	f.status("Ready", "Ready")
	f.Get(object)
	if object.UID != uid || object.Data["key"] != "ours" || len(object.OwnerReferences) != 1 {
		t.Errorf("it is %s %v of %v", object.UID, object.Data, object.OwnerReferences)
	}
	if _, left := object.Data["extra"]; left {
		t.Error("what kubectl had set and is not desired is still there")
	}
	before := f.Settled()
	f.reconcile()
	f.expectRequests(before)
	f.Delete(f.site)
	f.Gone(object)
}

func TestOwnedObjectIsAdoptedByForceOnly(t *testing.T) {
	f, object := adopting(t, operator.AdoptIfUnowned)
	other, friend := named(&corev1.Secret{}, "other"), named(&corev1.Secret{}, "friend")
	f.Create(other, friend)
	f.Update(object, func() {
		kind := corev1.SchemeGroupVersion.WithKind("Secret")
		object.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(other, kind), {APIVersion: "v1", Kind: "Secret", Name: "friend", UID: friend.UID},
		}
	})
	f.reconcile()
	if message := f.status("Ready", "NameConflict").Conditions[0].Message; !strings.Contains(message, "belongs to Secret other") {
		t.Errorf("message is %q", message)
	}
	f.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "ours"), operator.AdoptForce) }))
	f.reconcile()
	f.status("Ready", "Ready")
	f.Get(object)
	controller := metav1.GetControllerOf(object)
	if controller == nil || controller.UID != f.site.UID || len(object.OwnerReferences) != 2 {
		t.Errorf("owners are %v", object.OwnerReferences)
	}
}

func TestCreateOnlyAdoptsWithoutAChange(t *testing.T) {
	f, object := adopting(t, operator.AdoptIfUnowned, operator.CreateOnly)
	f.reconcile()
	f.status("Ready", "Ready")
	f.Get(object)
	if object.Data["key"] != "theirs" || object.Data["extra"] != "theirs" || len(object.OwnerReferences) != 1 {
		t.Errorf("it is %v of %v", object.Data, object.OwnerReferences)
	}
	before := f.Settled()
	f.reconcile()
	f.expectRequests(before)
}

func TestAChildOfEarlierIsAdoptedWhole(t *testing.T) {
	keeping := desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "ours"), operator.CreateOnly, operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan), operator.AdoptIfUnowned)
	})
	a := &author{sync: keeping}
	f := start(t, a)
	object := configMap("web", "")
	f.Exists(object)
	uid := object.UID
	owned := func(expected bool) {
		t.Helper()
		f.Eventually("the child is owned or not", func() error {
			if f.Get(object); (object.Labels["test.opgen.dev/site"] == string(f.site.UID)) != expected {
				return fmt.Errorf("its labels are %v", object.Labels)
			}
			return nil
		})
		if object.UID != uid || object.Data["key"] != "ours" {
			t.Errorf("it is %s %v", object.UID, object.Data)
		}
	}
	owned(true)
	a.setSync(desire(func(*Desired) {}))
	f.reconcile()
	owned(false)
	a.setSync(keeping)
	f.reconcile()
	owned(true)
	f.status("Ready", "Ready")
	before := f.Settled()
	f.reconcile()
	f.expectRequests(before)
}

func TestObjectIsNotAdoptedUnasked(t *testing.T) {
	f, object := adopting(t, operator.AdoptNever)
	f.reconcile()
	f.status("Ready", "NameConflict")
	f.Get(object)
	if object.Data["key"] != "theirs" || len(object.OwnerReferences) != 0 {
		t.Errorf("it is %v of %v", object.Data, object.OwnerReferences)
	}
}

func TestCreateOnlyChildThatComesBackKeepsItsContent(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text != "none" {
			want.ConfigMaps.Add(configMap("web", "first"), operator.CreateOnly, operator.AdoptIfUnowned, operator.WhenDropped(operator.Orphan), operator.WhenDeleted(operator.Orphan))
		}
	}), nil)
	site, child := c.site("web"), configMap("web", "")
	c.says(site, allReady)
	c.Exists(child)
	c.touch(site, "none")
	c.expectOrphaned(child)
	c.touch(site, "wanted again")
	c.Eventually("it is the parent's again", func() error {
		if c.Get(child); child.Labels[c.group+"/site"] != string(site.UID) {
			return errors.New("it is orphaned")
		}
		return nil
	})
	if child.Data["key"] != "first" {
		t.Errorf("its data is %v", child.Data)
	}
	c.says(site, allReady)
	c.touch(site, "none")
	c.expectOrphaned(child)
}

// Before opgen, another operator reconciled these parents, or a script has written the reference.
func TestChildThatAnotherManagerMadeForThisParentIsAdopted(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]operator.ChildOption{
		"whole":    nil,
		"as it is": {operator.CreateOnly},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, &author{sync: desire(func(*Desired) {})})
			f.status("Ready", "Ready")
			object := configMap("web", "theirs")
			object.Namespace = f.Namespace
			f.Get(f.site)
			object.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(f.site, testapi.Version.WithKind("Site"))}
			if err := f.Client.Create(t.Context(), object, client.FieldOwner("manager")); err != nil {
				t.Fatal(err)
			}
			uid := object.UID
			f.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "ours"), options...) }))
			f.reconcile()
			if message := f.status("Ready", "NameConflict").Conditions[0].Message; !strings.Contains(message, "adopt: IfUnowned") {
				t.Errorf("message is %q", message)
			}
			options = append(options, operator.AdoptIfUnowned)
			f.reconcile()
			f.status("Ready", "Ready")
			value := "ours"
			if len(options) > 1 {
				value = "theirs"
			}
			if f.Get(object); object.UID != uid || object.Data["key"] != value || len(object.OwnerReferences) != 1 {
				t.Errorf("it is %s %v of %v", object.UID, object.Data, object.OwnerReferences)
			}
			before := f.Settled()
			f.reconcile()
			f.expectRequests(before)
			f.setSync(desire(func(*Desired) {}))
			f.reconcile()
			f.Gone(object)
		})
	}
}
