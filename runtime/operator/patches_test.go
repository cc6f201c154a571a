package operator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestFieldsOfOthersAreSetRepairedAndRemoved(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	owners := len(object.OwnerReferences)
	site := c.siteOf("web", "a:color=red a:size=l")
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
	settled := c.Settled()
	c.Reconciled(site)
	c.Restart()
	c.Reconciled(site)
	if sent := c.requestsOf(settled); len(sent) > 0 {
		t.Errorf("a converged parent and a restart cost %v", sent)
	}
	if c.Get(object); object.Annotations["size"] != "l" || len(object.OwnerReferences) != owners || object.Labels["shared"] != "yes" {
		t.Errorf("the object is %v", object.ObjectMeta)
	}

	// A foreign writer, also while the operator is down.
	for _, isDown := range []bool{false, true} {
		settled = c.Settled()
		if isDown {
			c.Stop()
		}
		c.writeAs("stranger", object, func() { object.Data["color"], object.Data["other"] = "green", "stays" })
		if isDown {
			c.Restart()
		}
		c.hasData(object, "color=red,key=theirs,other=stays")
		c.Settled()
		if sent := c.requestsOf(settled); !slices.Equal(slices.DeleteFunc(sent, func(s string) bool { return s == "update a" }), []string{"patch a"}) {
			t.Errorf("a repair costs %v", sent)
		}
	}

	// Sync changes one field, and leaves out another.
	settled = c.Settled()
	c.touch(site, "a:color=blue")
	c.hasData(object, "color=blue,key=theirs,other=stays")
	if c.Settled(); object.Annotations["size"] != "" {
		t.Error("the annotation is still there")
	}
	if sent := c.requestsOf(settled); !slices.Equal(sent, []string{"patch a"}) {
		t.Errorf("a change costs %v", sent)
	}
	if c.Get(site); !controllerutil.ContainsFinalizer(site, c.group+"/finalizer") {
		t.Error("the parent lacks the finalizer")
	}

	// It leaves out all of them.
	settled = c.Settled()
	c.touch(site, "")
	c.hasData(object, "key=theirs,other=stays")
	c.unpatched(object)
	c.Settled()
	if sent := c.requestsOf(settled); !slices.Equal(sent, []string{"patch a"}) {
		t.Errorf("a removal costs %v", sent)
	}
	if c.Get(site); len(site.Finalizers) > 0 {
		t.Errorf("the parent still has %v", site.Finalizers)
	}
	c.says(site, allReady)
}

func TestPatchesGoWithTheirParent(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	a, b := shared("a"), shared("b")
	c.Create(a, b)
	site := c.siteOf("web", "a:color=red b:color=red")
	c.says(site, allReady)
	c.hasData(b, "color=red,key=theirs")
	c.Delete(site)
	c.Gone(site)
	for _, object := range []*corev1.ConfigMap{a, b} {
		c.hasData(object, "key=theirs")
		c.unpatched(object)
	}
}

// What Sync has dropped, whose parent is gone or was recreated, and what no entry selects any more is found
// after a restart by the mark alone.
func TestPatchesAreRemovedAfterAStop(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	dropped, unselected, left, again := shared("dropped"), shared("unselected"), shared("left"), shared("again")
	c.Create(dropped, unselected, left, again)
	stays := c.siteOf("stays", "dropped:color=red unselected:color=red")
	gone, recreated := c.siteOf("gone", "left:color=red"), c.siteOf("recreated", "again:color=red")
	for _, object := range []*corev1.ConfigMap{dropped, unselected, left, again} {
		c.hasData(object, "color=red,key=theirs")
	}
	c.Settled()
	c.Stop()
	c.Update(stays, func() { stays.Spec.Text = "unselected:color=red" })
	c.Update(unselected, func() { delete(unselected.Labels, "shared") })
	c.forceAway(gone)
	c.forceAway(recreated)
	c.siteOf("recreated", "")
	c.Restart()
	for _, object := range []*corev1.ConfigMap{dropped, unselected, left, again} {
		c.hasData(object, "key=theirs")
		c.unpatched(object)
	}
	c.Settled()
	c.says(stays, allReady)
}

// A mark that somebody takes off is put back, and what it was on is cleaned up where the object is still
// related, even if that was during a stop.
func TestPatchesWhoseMarkIsGone(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	mark := "patched." + c.group + "/site"
	unmark := func() {
		c.Update(object, func() {
			if delete(object.Labels, mark); len(object.Annotations) == 0 {
				t.Error("no annotation names the parent")
			}
		})
	}
	c.Settled()
	unmark()
	c.Eventually("the mark is back", func() error {
		if c.Get(object); object.Labels[mark] != "true" {
			return errors.New("it is not")
		}
		return nil
	})
	c.Settled()
	c.Stop()
	unmark()
	c.Update(site, func() { site.Spec.Text = "" })
	c.Restart()
	c.hasData(object, "key=theirs")
	c.unpatched(object)
}

// Whoever may write an object can write the marks. They make nobody remove anything.
func TestMarksOfAStrangerMeanNothing(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	site := c.siteOf("web", "")
	c.says(site, allReady)
	object := shared("a")
	object.Labels["patched."+c.group+"/site"] = "true"
	object.Annotations = map[string]string{
		"patched." + c.group + "/" + string(site.UID):                  "Site.test.opgen.dev/" + c.Namespace + "/web",
		"patched." + c.group + "/00000000-0000-4000-8000-000000000000": "Site.test.opgen.dev/" + c.Namespace + "/gone",
	}
	c.Create(object)
	version := object.ResourceVersion
	settled := c.Settled()
	c.Reconciled(site)
	c.Restart()
	c.Reconciled(site)
	c.Settled()
	if sent := c.requestsOf(settled); len(sent) > 0 {
		t.Errorf("marks of a stranger cost %v", sent)
	}
	if c.Get(object); object.ResourceVersion != version {
		t.Error("the object was written")
	}
}

// An object that was replaced by another of its name is not what Sync saw.
func TestAPatchCreatesNoObject(t *testing.T) {
	var c *custom
	t.Parallel()
	object := shared("a")
	swap := &againTransport{verb: "PATCH"}
	c = addPatching(t, func(config *operatortest.Config) { config.Transport = swap.wrap }, customDesire(patchShared), nil, func(*operator.Options) {})
	c.Create(object)
	for _, replaced := range []bool{true, false} {
		swap.done, swap.do = false, func() error {
			if err := c.Client.Delete(t.Context(), object.DeepCopy()); err != nil || !replaced {
				return err
			}
			other := shared("a")
			other.Namespace, other.Labels = c.Namespace, nil
			return c.Client.Create(t.Context(), other)
		}
		site := c.siteOf("web", "a:color=red")
		c.says(site, allReady)
		c.Settled()
		if !swap.done || swap.err != nil {
			t.Fatalf("the object was swapped: %v, %v", swap.done, swap.err)
		}
		if exists := c.Get(object); exists != replaced || replaced && dataOf(object) != "key=theirs" {
			t.Errorf("there is an object: %v, of %v", exists, object.Data)
		}
		c.Delete(site)
		c.Gone(site)
		if replaced {
			c.Update(object, func() { object.Labels = shared("a").Labels })
		}
	}
}

func TestTwoParentsPatchOneObject(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	first := c.siteOf("first", "a:color=red a:first=yes")
	c.says(first, allReady)
	second := c.siteOf("second", "a:color=red a:second=yes")
	c.says(second, allReady)
	c.hasData(object, "color=red,first=yes,key=theirs,second=yes")

	// The field is both parents': one of them changes it, and the other is told.
	c.touch(second, "a:color=blue a:second=yes")
	c.hasData(object, "color=blue,first=yes,key=theirs,second=yes")
	c.says(second, allReady)
	refusal := "patch ConfigMap " + c.Namespace + "/a: data.color is set to another value by Site " + c.Namespace + "/second, which keeps it"
	c.says(first, refusal)
	c.Settled()
	c.Restart()
	c.says(first, refusal)
	c.hasData(object, "color=blue,first=yes,key=theirs,second=yes")

	// What one leaves out stays the other's.
	c.touch(first, "a:color=blue a:first=yes")
	c.says(first, allReady)
	c.touch(second, "")
	c.hasData(object, "color=blue,first=yes,key=theirs")
	c.Delete(first)
	c.Gone(first)
	c.hasData(object, "key=theirs")
	c.unpatched(object)
	c.says(second, allReady)
}

// Two operators that desire other values of one field would write for ever.
func TestAFieldOfAnotherOperatorIsNotTaken(t *testing.T) {
	t.Parallel()
	c := addPatching(t, nil, customDesire(patchShared), nil, func(*operator.Options) {})
	other := addCustomWith(t, func(*operatortest.Config) {}, customDesire(func(_ *customRequest, want *Desired) {
		child := shared("a")
		child.Namespace = c.Namespace
		want.ConfigMaps.Add(child)
	}), anywhere, func(o *operator.Options) { o.Namespaces = nil })
	owner := other.site("owner")
	other.says(owner, allReady)
	site := c.siteOf("web", "a:key=ours")
	c.says(site, "patch ConfigMap "+c.Namespace+"/a: data.key is set to another value by field manager \"opgen/site."+other.group+"\", which keeps it")
	c.touch(site, "a:color=red")
	c.says(site, allReady)
	object := shared("a")
	c.hasData(object, "color=red,key=theirs")
	other.Settled()
	other.says(owner, allReady)
	c.touch(site, "")
	c.hasData(object, "key=theirs")
}

// A field manager that changes a patched field again and again is named, and the repairs back off.
func TestAFieldConflictOverAPatch(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.says(site, allReady)
	c.Settled()
	c.StopClock()
	for range 3 {
		c.hasData(object, "color=red,key=theirs")
		c.Settled()
		c.writeAs("stranger", object, func() { object.Data["color"] = "green" })
	}
	c.saysPart(site, "ConfigMap "+c.Namespace+`/a: field manager "stranger" keeps changing data.color`)
	c.Settled()
	c.hasData(object, "color=green,key=theirs")
	c.Advance(10 * time.Second)
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
}

func TestInvalidPatches(t *testing.T) {
	c := startPatching(t, noPatches, nil)
	object := shared("a")
	c.Create(object)
	version := object.ResourceVersion
	for name, test := range map[string]struct {
		sync func(c *custom, req *customRequest, want *Desired)
		says string
	}{
		"an object that is not related": {func(_ *custom, _ *customRequest, want *Desired) {
			want.Patches.ConfigMaps.Add(configMapAs("kube-system", "a", ""), &corev1.ConfigMap{Data: map[string]string{"a": "b"}})
		}, "is not among the related objects of this request"},
		"owner references": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			fields := new(corev1.ConfigMap)
			fields.OwnerReferences = []metav1.OwnerReference{{APIVersion: "test.opgen.dev/v1", Kind: "Site", Name: req.Parent.Name, UID: req.Parent.UID}}
			want.Patches.ConfigMaps.Add(object, fields)
		}, "sets metadata.ownerReferences: of the metadata, it can set labels and annotations"},
		"finalizers": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			fields := new(corev1.ConfigMap)
			fields.Finalizers = []string{"example.com/mine"}
			want.Patches.ConfigMaps.Add(object, fields)
		}, "sets metadata.finalizers"},
		"the label of children": {func(c *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			fields := new(corev1.ConfigMap)
			fields.Labels = map[string]string{c.group + "/site": string(req.Parent.UID)}
			want.Patches.ConfigMaps.Add(object, fields)
		}, "which only the operator itself writes"},
		"the mark": {func(c *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			fields := new(corev1.ConfigMap)
			fields.Annotations = map[string]string{"patched." + c.group + "/uid": ""}
			want.Patches.ConfigMaps.Add(object, fields)
		}, "which only the operator itself writes"},
		"the whole object": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			want.Patches.ConfigMaps.Add(object, object)
		}, "is a whole object: set only the fields that are to be patched"},
		"twice": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			for range 2 {
				want.Patches.ConfigMaps.Add(object, &corev1.ConfigMap{Data: map[string]string{"a": "b"}})
			}
		}, "is patched twice: add one patch with all fields"},
		"another name": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			want.Patches.ConfigMaps.Add(object, configMap("b", "x"))
		}, "names another object: its metadata.name is b"},
		"no fields": {func(_ *custom, req *customRequest, want *Desired) {
			object, _ := req.Related.ConfigMaps.Get("a")
			want.Patches.ConfigMaps.Add(object, nil)
		}, "has no fields: they are nil"},
		"no object": {func(_ *custom, _ *customRequest, want *Desired) {
			want.Patches.ConfigMaps.Add(nil, new(corev1.ConfigMap))
		}, "a patch is of an object that is nil"},
		"a child": {func(_ *custom, req *customRequest, want *Desired) {
			child := shared("child")
			want.ConfigMaps.Add(child)
			if object, ok := req.Related.ConfigMaps.Get("child"); ok {
				want.Patches.ConfigMaps.Add(object, &corev1.ConfigMap{Data: map[string]string{"a": "b"}})
			}
		}, "it is a child of this parent, whose fields are those that Children desires"},
	} {
		c.setSync(customDesire(func(req *customRequest, want *Desired) { test.sync(c, req, want) }))
		site := c.site("web-" + strings.ReplaceAll(name, " ", "-"))
		c.saysPart(site, test.says)
		if c.Get(object); object.ResourceVersion != version {
			t.Errorf("%s: the object was written: %v", name, object)
		}
		if reason := site.Status.Conditions[0].Reason; reason != "InvalidPatch" {
			t.Errorf("%s: the reason is %s", name, reason)
		}
		c.setSync(noPatches)
		c.Delete(site)
		c.Gone(site)
	}
}
