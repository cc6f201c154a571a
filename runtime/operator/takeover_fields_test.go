package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// takingOver is an author whose controller takes the fields of managers over.
func takingOver(sync Function, from ...string) *author {
	return &author{sync: sync, alter: func(d *siteDefinition) { d.TakeOverFrom = from }}
}

func desireData(data map[string]string) Function {
	return desire(func(want *Desired) {
		object := configMap("web", "")
		object.Data = data
		want.ConfigMaps.Add(object)
	})
}

// shows waits until the Site is ready with a message that contains a text.
func (f *fixture) shows(text string) {
	f.t.Helper()
	f.Eventually("the Ready condition contains "+text, func() error {
		f.Get(f.site)
		ready := meta.FindStatusCondition(f.site.Status.Conditions, "Ready")
		if ready == nil || ready.Status != metav1.ConditionTrue || !strings.Contains(ready.Message, text) {
			return fmt.Errorf("it is %+v", ready)
		}
		return nil
	})
}

// takenOver returns the Events that tell of removed fields.
func (f *fixture) takenOver() (notes []string) {
	f.t.Helper()
	events := new(eventsv1.EventList)
	if err := f.Client.List(f.t.Context(), events, client.InNamespace(f.Namespace)); err != nil {
		f.t.Fatal(err)
	}
	for _, event := range events.Items {
		if event.Reason == "TakenOver" {
			notes = append(notes, event.Note)
		}
	}
	return notes
}

// applyAs applies an object by server-side apply, for a parent.
func (f *fixture) applyAs(manager, text string) {
	f.t.Helper()
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","ownerReferences":[{"apiVersion":%q,"kind":"Site","name":"web","uid":%q,"controller":true,"blockOwnerDeletion":true}]},"data":%s}`,
		testapi.Version.String(), f.site.UID, text)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: "web"}}
	if err := f.Client.Patch(f.t.Context(), object, client.RawPatch(types.ApplyPatchType, []byte(body)), client.FieldOwner(manager), client.ForceOwnership); err != nil {
		f.t.Fatal(err)
	}
}

// What a former operator has set and Sync no longer desires goes, if the definition names its field
// manager: at once, or at a later start. Without, it stays, and the Ready condition says so.
func TestFieldsOfAFormerOperatorGoIfItIsNamed(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*fixture){
		"that updates": func(f *fixture) {
			object := configMap("web", "")
			object.Data = map[string]string{"same": "1", "dropped": "1", "changed": "1"}
			f.madeFor(f.site, formerManager, object)
		},
		"that applies": func(f *fixture) { f.applyAs(formerManager, `{"same":"1","dropped":"1","changed":"1"}`) },
	} {
		for start, first := range map[string][]string{"at once": {formerManager}, "at a later start": nil} {
			t.Run(name+", "+start, func(t *testing.T) {
				f := before(t)
				make(f)
				sync := desireData(map[string]string{"same": "1", "changed": "2"})
				s := f.succeed(takingOver(sync, first...))
				if first == nil {
					f.shows("ConfigMap " + f.Namespace + "/web: data.dropped of " + formerManager)
					s.end(f.t)
					s = f.succeed(takingOver(sync, formerManager))
				}
				f.Eventually("the field is removed", func() error {
					object := named(&corev1.ConfigMap{}, "web")
					f.Get(object)
					if want := map[string]string{"same": "1", "changed": "2"}; fmt.Sprint(object.Data) != fmt.Sprint(want) || managedfields.IsWrittenByAny(object, []string{formerManager}) {
						return fmt.Errorf("data is %v, managed by %v", object.Data, object.ManagedFields)
					}
					return nil
				})
				f.Eventually("an Event and the log tell of it", func() error {
					notes := f.takenOver()
					if len(notes) != 1 || !strings.HasSuffix(notes[0], "took over the fields of "+formerManager+", and removed data.dropped; the log names those of other objects of the kind") {
						return fmt.Errorf("Events are %q", notes)
					}
					if s.log.count("fields=[data.dropped]") != 1 {
						return fmt.Errorf("the log is %s", s.log.String())
					}
					return nil
				})
				f.shows("every child is as desired and ready")
			})
		}
	}
}

// Only what the named managers hold goes: neither fields of others, nor a finalizer, nor anything of
// objects that another parent controls, though the same manager wrote them.
func TestOnlyFieldsOfNamedManagersInChildrenGo(t *testing.T) {
	f := before(t)
	elsewhere := &testapi.Realm{ObjectMeta: metav1.ObjectMeta{Name: f.Namespace}}
	f.Create(elsewhere)
	mine, theirs := configMap("web", ""), configMap("theirs", "")
	mine.Data, theirs.Data = map[string]string{"dropped": "1"}, map[string]string{"kept": "1"}
	mine.Finalizers = []string{"test.opgen.dev/hold"}
	f.madeFor(f.site, formerManager, mine)
	f.madeFor(elsewhere, formerManager, theirs)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"edited":"1"}}`))
	if err := f.Client.Patch(t.Context(), mine.DeepCopy(), patch, client.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	a := takingOver(desireData(map[string]string{"new": "1"}), formerManager)
	f.succeed(a)
	f.shows("data.edited of kubectl-edit")
	f.Get(mine)
	f.Get(theirs)
	if fmt.Sprint(mine.Data, mine.Finalizers, theirs.Data) != "map[edited:1 new:1] [test.opgen.dev/hold] map[kept:1]" || f.hasMarks(theirs, f.site) {
		t.Errorf("data is %v with finalizers %v, of the other %v", mine.Data, mine.Finalizers, theirs.Data)
	}
	f.Update(mine, func() { mine.Finalizers = nil })
}

// A child that the adoption policy takes has no fields of the named managers left, either.
func TestAdoptedObjectLosesTheFieldsOfNamedManagers(t *testing.T) {
	f := before(t)
	object := configMap("web", "")
	object.Namespace, object.Data = f.Namespace, map[string]string{"dropped": "1"}
	if err := f.Client.Create(t.Context(), object, client.FieldOwner(formerManager)); err != nil {
		t.Fatal(err)
	}
	f.succeed(takingOver(desire(func(want *Desired) {
		want.ConfigMaps.Add(configMap("web", "new"), operator.AdoptIfUnowned)
	}), formerManager))
	f.status("Ready", "Ready")
	if f.Get(object); object.Data["dropped"] != "" || !f.hasMarks(object, f.site) {
		t.Errorf("it has the data %v and the labels %v", object.Data, object.Labels)
	}
}

func TestObserverSaysWhatATakeoverWouldRemove(t *testing.T) {
	f := before(t)
	object := configMap("web", "")
	object.Data = map[string]string{"same": "1", "dropped": "1"}
	service := service("web")
	service.Spec.Selector = map[string]string{"app": "web"}
	f.madeFor(f.site, formerManager, object, service)
	seen := 0
	o := f.observe(takingOver(func(_ context.Context, req *Request) (*Response, error) {
		if _, ok := req.Children.ConfigMaps.Get("web"); ok {
			seen++
		}
		want := new(Desired)
		kept := configMap("web", "")
		kept.Data = map[string]string{"same": "1"}
		want.ConfigMaps.Add(kept)
		service := service.DeepCopy()
		service.ObjectMeta, service.Spec.Selector, service.Spec.ClusterIP, service.Spec.ClusterIPs = metav1.ObjectMeta{Name: "web"}, nil, "", nil
		want.Services.Add(service)
		return &Response{Children: want}, nil
	}, formerManager))
	o.says(2, "patch", "ConfigMap", "web") // its marks, and what is desired
	f.Eventually("the log says what would go", func() error {
		for _, fields := range []string{"fields=[data.dropped]", `fields="[metadata.labels.app spec.selector]"`} {
			if o.log.count(`msg="would remove fields of another operator"`) != 2 || o.log.count(fields) != 1 {
				return fmt.Errorf("the log is %s", o.log.String())
			}
		}
		return nil
	})
	o.wroteNothing()
	if f.Get(object); object.Data["dropped"] == "" || f.hasMarks(object, f.site) || seen == 0 {
		t.Errorf("it has the data %v and the labels %v; Sync saw it %d times", object.Data, object.Labels, seen)
	}
}

// An operator under another name, or in another group, takes over what it made before: children with an
// owner reference, and those that have only marks.
func TestRenamedOperatorTakesItsChildrenOver(t *testing.T) {
	t.Parallel()
	const group = "before.opgen.dev"
	for name, test := range map[string]struct{ name, group, label, manager string }{
		"the name":  {"pages", testapi.Version.Group, "test.opgen.dev/pages", "opgen/pages.test.opgen.dev"},
		"the group": {"site", group, group + "/site", "opgen/site." + group},
	} {
		t.Run(name, func(t *testing.T) {
			f := before(t)
			fill := func(want *Desired) {
				want.ConfigMaps.Add(configMap("web", "one"))
				want.ConfigMaps.Add(configMap("marked", "one"), orphaned...)
				want.Pods.Add(pod("web", "web:1"))
			}
			old := f.succeed(&author{sync: desire(func(want *Desired) {
				fill(want)
				want.ConfigMaps.Add(configMap("dropped", "one"))
			}), alter: func(d *siteDefinition) { d.Name, d.Group = test.name, test.group }})
			f.status("Ready", "Progressing")
			old.end(f.t)
			web, marked, dropped, made := named(&corev1.ConfigMap{}, "web"), named(&corev1.ConfigMap{}, "marked"), named(&corev1.ConfigMap{}, "dropped"), named(&corev1.Pod{}, "web")
			f.Exists(web, marked, dropped, made)

			f.succeed(takingOver(desire(fill), test.manager))
			f.Gone(dropped)
			f.Exists(web, marked, made)
			for _, object := range []client.Object{web, marked, made} {
				f.Eventually("the former marks are gone", func() error {
					f.Get(object)
					keys := fmt.Sprint(object.GetLabels(), object.GetAnnotations())
					if object.GetLabels()[siteLabel] != string(f.site.UID) || strings.Contains(keys, test.label) || strings.Contains(keys, group) || managedfields.IsWrittenByAny(object, []string{test.manager}) {
						return fmt.Errorf("%s has %s, managed by %v", object.GetName(), keys, object.GetManagedFields())
					}
					return nil
				})
			}
			f.Eventually("the finalizer is this operator's", func() error {
				if f.Get(f.site); !slices.Equal(f.site.Finalizers, []string{"test.opgen.dev/finalizer"}) {
					return fmt.Errorf("it has %v", f.site.Finalizers)
				}
				return nil
			})
			f.Delete(f.site)
			f.Gone(web)
			f.Exists(marked)
		})
	}
}
