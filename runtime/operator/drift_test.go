package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestDriftInOurFieldsIsRepaired(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		child := configMap("web", "one")
		child.Labels = map[string]string{"app": "web"}
		want.ConfigMaps.Add(child)
	})})
	f.status("Ready", "Ready")

	for _, drift := range []struct {
		name string
		edit func(*corev1.ConfigMap)
	}{
		{"a value", func(c *corev1.ConfigMap) { c.Data["key"] = "edited" }},
		{"a label", func(c *corev1.ConfigMap) { c.Labels["app"] = "edited" }},
		{"a field that is gone", func(c *corev1.ConfigMap) { c.Data = nil }},
		{"the owner reference", func(c *corev1.ConfigMap) { c.OwnerReferences = nil }},
	} {
		child := named(&corev1.ConfigMap{}, "web")
		f.Update(child, func() {
			drift.edit(child)
			metav1.SetMetaDataAnnotation(&child.ObjectMeta, "someone", "else")
		})
		uid := child.UID
		f.Settled()
		f.Advance(time.Hour) // the third repair of a child does not come at once
		f.Eventually(drift.name+" is repaired", func() error {
			f.Get(child)
			if child.Data["key"] != "one" || child.Labels["app"] != "web" || len(child.OwnerReferences) != 1 {
				return fmt.Errorf("child is %+v", child)
			}
			return nil
		})
		if child.UID != uid {
			t.Errorf("%s: the child was replaced", drift.name)
		}
		if child.Annotations["someone"] != "else" {
			t.Errorf("%s: the annotation that someone else had set is gone", drift.name)
		}
	}
}

func TestRepairOfADeletedChildCostsOneRequest(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })})
	f.status("Ready", "Ready")
	f.reconcile()
	before := len(f.Requests())

	child := named(&corev1.ConfigMap{}, "web")
	f.Get(child)
	f.Delete(child)
	f.Gone(child)
	f.Exists(named(&corev1.ConfigMap{}, "web"))
	f.reconcile()
	f.expectRequests(before, "create configmaps web: 201")
}

func TestFieldThatDesiredDropsIsRemoved(t *testing.T) {
	a := &author{sync: desire(func(want *Desired) {
		child := configMap("web", "one")
		child.Data["dropped"] = "soon"
		want.ConfigMaps.Add(child)
	})}
	f := start(t, a)
	f.status("Ready", "Ready")

	child := named(&corev1.ConfigMap{}, "web")
	f.Update(child, func() { child.Data["other"] = "someone else's" })
	a.setSync(desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "two")) }))
	f.reconcile()
	f.Get(child)
	if want := map[string]string{"key": "two", "other": "someone else's"}; fmt.Sprint(child.Data) != fmt.Sprint(want) {
		t.Errorf("data is %v, want %v", child.Data, want)
	}
}

func TestChildThatIsLeftOutIsPruned(t *testing.T) {
	both := func(want *Desired) {
		want.ConfigMaps.Add(configMap("stays", "one"))
		want.ConfigMaps.Add(configMap("kept", "one"))
		want.ConfigMaps.Add(configMap("goes", "one"))
		want.Services.Add(service("goes"))
	}
	a := &author{sync: desire(both)}
	f := start(t, a)
	f.status("Ready", "Ready")
	f.Create(configMap("foreign", "of someone else"))

	a.setSync(func(ctx context.Context, req *Request) (*Response, error) {
		response, err := desire(func(want *Desired) {})(ctx, req)
		return response, errors.Join(err, errors.New("not today"))
	})
	f.reconcile()
	f.status("Ready", "SyncFailed")
	f.Exists(named(&corev1.ConfigMap{}, "goes"), named(&corev1.Service{}, "goes"))

	a.setSync(func(context.Context, *Request) (*Response, error) { return &Response{}, nil })
	f.reconcile()
	f.Exists(named(&corev1.ConfigMap{}, "goes"), named(&corev1.Service{}, "goes"))

	a.setSync(desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("stays", "one"))
		want.ConfigMaps.Keep("kept")
	}))
	f.reconcile()
	f.Gone(named(&corev1.ConfigMap{}, "goes"), named(&corev1.Service{}, "goes"))
	f.Exists(named(&corev1.ConfigMap{}, "stays"), named(&corev1.ConfigMap{}, "kept"), named(&corev1.ConfigMap{}, "foreign"))
}

func TestTakenNameIsNotSeized(t *testing.T) {
	a := &author{sync: func(context.Context, *Request) (*Response, error) { return &Response{}, nil }}
	f := start(t, a)
	f.Create(configMap("web", "someone else's"))
	a.setSync(desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "ours"))
		want.Services.Add(service("web"))
	}))
	f.reconcile()
	status := f.status("Ready", "NameConflict")
	if got, want := status.Conditions[0].Message, "ConfigMap "+f.Namespace+"/web exists already and is not controlled by anything: choose another name, or adopt it with adopt: IfUnowned"; got != want {
		t.Errorf("message is %q, want %q", got, want)
	}
	foreign := named(&corev1.ConfigMap{}, "web")
	f.Get(foreign)
	if foreign.Data["key"] != "someone else's" || len(foreign.OwnerReferences) > 0 {
		t.Errorf("the foreign object was changed: %+v", foreign)
	}
	f.Exists(named(&corev1.Service{}, "web")) // independent of its sibling

	f.Delete(foreign)
	f.status("Ready", "Ready")
	f.Get(foreign)
	if foreign.Data["key"] != "ours" {
		t.Errorf("data is %v once the name is free", foreign.Data)
	}
}

func TestChildrenOfAnEarlierParentOfTheNameAreNotOurs(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })})
	f.status("Ready", "Ready")
	first := f.site.UID
	f.Delete(f.site)
	f.Gone(f.site)
	f.site = site("web")
	f.Create(f.site)

	child := named(&corev1.ConfigMap{}, "web")
	f.Eventually("the child belongs to the new parent", func() error {
		if f.Get(child); child.OwnerReferences == nil || child.OwnerReferences[0].UID != f.site.UID {
			return fmt.Errorf("its owners are %v, the first parent was %s", child.OwnerReferences, first)
		}
		return nil
	})
	f.status("Ready", "Ready")
}

func TestInvalidDesiredChildrenAreNamed(t *testing.T) {
	elsewhere := configMap("web", "one")
	elsewhere.Namespace = "elsewhere"
	f := start(t, &author{sync: desire(func(*Desired) {})})
	for _, test := range []struct {
		name string
		want func(*Desired)
		says string
	}{
		{"no name", func(want *Desired) { want.ConfigMaps.Add(&corev1.ConfigMap{}) }, "a desired ConfigMap has no name"},
		{"twice", func(want *Desired) {
			want.ConfigMaps.Add(configMap("web", "one"))
			want.ConfigMaps.Add(configMap("web", "two"))
		}, "ConfigMap %s/web is desired twice"},
		{"elsewhere", func(want *Desired) { want.ConfigMaps.Add(elsewhere) }, "ConfigMap elsewhere/web is outside of the only namespace that the operator works in, %s"},
		{"another kind", func(want *Desired) { want.Accounts.Add(named(operator.Unstructured("v1", "Node"), "web")) }, "v1 Node is desired among children of kind v1 ServiceAccount"},
		{"refused by the API server", func(want *Desired) { want.ConfigMaps.Add(configMap("Not_A_Name", "one")) },
			`ConfigMap %s/Not_A_Name: ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": `},
	} {
		f.setSync(desire(test.want))
		f.reconcile()
		says := strings.ReplaceAll(test.says, "%s", f.Namespace)
		if got := f.status("Ready", "InvalidChild").Conditions[0].Message; !strings.HasPrefix(got, says) {
			t.Errorf("%s: message is %q, want it to begin with %q", test.name, got, says)
		}
	}
}

func TestChildThatLostItsOwnerWhileTheOperatorWasDownGetsItBack(t *testing.T) {
	f := start(t, &author{sync: desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "one"))
		want.Secrets.Add(named(&corev1.Secret{}, "kept"), orphaned...)
	})})
	f.status("Ready", "Ready")
	f.Stop()
	child, kept := configMap("web", ""), named(&corev1.Secret{}, "kept")
	f.Update(child, func() { child.OwnerReferences = nil })
	f.Update(kept, func() { delete(kept.Annotations, "test.opgen.dev/parent") })
	f.Restart()
	f.Eventually("they are the parent's again", func() error {
		f.Get(child)
		f.Get(kept)
		if len(child.OwnerReferences) != 1 || kept.Annotations["test.opgen.dev/parent"] == "" {
			return fmt.Errorf("owners are %v, annotations are %v", child.OwnerReferences, kept.Annotations)
		}
		return nil
	})
	f.status("Ready", "Ready")
}

func TestHashThatWasRemovedWhileTheOperatorWasDownIsPutBack(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]operator.ChildOption{
		"InPlace": operator.InPlace, "Recreate": operator.Recreate, "OnDelete": operator.OnDelete, "RollingRecreate": operator.RollingRecreate,
	} {
		for _, by := range []types.PatchType{types.MergePatchType, types.ApplyPatchType} {
			t.Run(fmt.Sprintf("%s by %s", name, by), func(t *testing.T) {
				f := start(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one"), option) })})
				f.status("Ready", "Ready")
				child := configMap("web", "")
				f.Get(child)
				uid, hash := child.UID, child.Annotations[hashKey]
				f.Stop()
				removeHash(t, f, child, by)
				f.Restart()
				f.Eventually("the hash is back", func() error {
					if f.Get(child); hash == "" || child.Annotations[hashKey] != hash {
						return fmt.Errorf("annotations are %v", child.Annotations)
					}
					return nil
				})
				f.status("Ready", "Ready")
				f.Converged(f.site)
				if f.Get(child); child.UID != uid {
					t.Error("the child was recreated")
				}
			})
		}
	}
}

const hashKey = "test.opgen.dev/desired-hash"

// removeHash removes the hash of a child, as somebody else does or with a manager that takes
// everything over first.
func removeHash(t *testing.T, f *fixture, child *corev1.ConfigMap, by types.PatchType) {
	t.Helper()
	patches := []client.Patch{client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+hashKey+`":null}}}`))}
	if by == types.ApplyPatchType { // a manager of others owns the annotation first
		patches = append([]client.Patch{client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+hashKey+`":"stolen"}}}`))}, patches...)
	}
	for _, patch := range patches {
		if err := f.Client.Patch(t.Context(), child, patch, client.FieldOwner("somebody")); err != nil {
			t.Fatal(err)
		}
	}
}

// An apply under the operator's own name gives up all that it leaves out: the label, the
// hash, and that the parent controls the child.
func TestChildThatNobodyControlsAnyMoreIsTheParentsAgain(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		t.Run(fmt.Sprintf("while down %v", down), func(t *testing.T) {
			f := start(t, &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("web", "one")) })})
			f.status("Ready", "Ready")
			f.Settled()
			child := configMap("web", "")
			f.Get(child)
			wipe := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]},"data":{"key":"edited"}}`))
			if err := f.Client.Patch(t.Context(), child, wipe); err != nil {
				t.Fatal(err)
			}
			f.Settled()
			f.Converged(f.site) // by an apply, so that the next one takes away what this one sets
			f.Get(child)
			if down {
				f.Stop()
			}
			uid, reference := child.UID, child.OwnerReferences[0]
			body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"controller":false}]}}`,
				reference.APIVersion, reference.Kind, reference.Name, reference.UID)
			if err := f.Client.Patch(t.Context(), child, client.RawPatch(types.ApplyPatchType, body), client.FieldOwner(managerOf(t, child)), client.ForceOwnership); err != nil {
				t.Fatal(err)
			}
			if down {
				f.Restart()
			}
			f.Eventually("the child is as desired", func() error {
				if f.Get(child); !metav1.IsControlledBy(child, f.site) || child.Data["key"] != "one" || child.UID != uid {
					return fmt.Errorf("it is %+v", child)
				}
				return nil
			})
			f.Converged(f.site)
		})
	}
}

// managerOf is the name by which the operator has written an object.
func managerOf(t *testing.T, object client.Object) string {
	t.Helper()
	entry := slices.IndexFunc(object.GetManagedFields(), isOurs)
	if entry < 0 {
		t.Fatal("the operator has not written it")
	}
	return object.GetManagedFields()[entry].Manager
}
