package operator_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// partly is a Sync that desires two ConfigMaps and a Service, and for a text with "part" only the
// first ConfigMap, as a part of the answer. After a minus sign, the text names one that it drops.
func partly(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	want.ConfigMaps.Add(configMap("a", req.Parent.Spec.Text))
	if strings.HasPrefix(req.Parent.Spec.Text, "part") {
		return &Response{Children: want, KeepAll: true}, nil
	}
	want.ConfigMaps.Add(configMap("b", "whole"))
	if !strings.HasSuffix(req.Parent.Spec.Text, "-service") {
		want.Services.Add(service("web"))
	}
	return &Response{Children: want}, nil
}

func (f *fixture) text(text string) {
	f.t.Helper()
	f.Update(f.site, func() { f.site.Spec.Text = text })
}

func TestPartOfAnAnswerLeavesTheRestAlone(t *testing.T) {
	f := start(t, &author{sync: partly})
	f.status("Ready", "Ready")
	f.text("part one")
	f.Matches(configMap("a", "part one"))
	f.Converged(f.site)
	f.Exists(configMap("b", ""), service("web"))
	f.status("Ready", "Ready")

	before := f.Settled()
	rest, gone := configMap("b", ""), service("web")
	f.Update(rest, func() { rest.Data["key"] = "drift" })
	f.Delete(gone)
	f.Reconcile(f.site)
	f.Converged(f.site)
	f.Matches(configMap("b", "drift"))
	f.lacking(gone)
	f.expectRequests(before, "get services web: 404") // it might only have lost its marks

	f.Crash() // the operator has nothing in memory
	f.Converged(f.site)
	f.Matches(configMap("b", "drift"))
	f.lacking(gone)

	mentioned := configMap("a", "")
	f.Update(mentioned, func() { mentioned.Data["key"] = "drift" })
	f.Matches(configMap("a", "part one"))

	f.text("whole")
	f.Matches(configMap("a", "whole"), configMap("b", "whole"))
	f.Exists(service("web"))
	f.text("whole-service")
	f.Gone(service("web"))
	f.Converged(f.site)
}

// lacking fails the test if one of these objects exists.
func (f *fixture) lacking(objects ...client.Object) {
	f.t.Helper()
	for _, object := range objects {
		if f.Get(object) {
			f.t.Errorf("%s exists", object.GetName())
		}
	}
}

// Kinds that Sync cannot mention are kept, too, and what else Sync says of children counts.
func TestPartOfAnAnswerKeepsAllKinds(t *testing.T) {
	a := &author{sync: partly}
	f := start(t, a)
	f.status("Ready", "Ready")
	a.alter = func(d *siteDefinition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[2] = operator.ChildKind{Object: &corev1.Service{}, PruneOnly: true}
			return described
		}
	}
	f.Stop()
	f.text("part")
	f.Restart()
	f.Matches(configMap("a", "part"))
	f.Converged(f.site)
	f.Exists(configMap("b", ""), service("web"))
	f.text("whole-service")
	f.Gone(service("web"))
	f.Converged(f.site)
}

// The Ready condition tells of all children, as with Keep.
func TestReadyTellsOfTheChildrenThatAPartOfAnAnswerKeeps(t *testing.T) {
	f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		want.ConfigMaps.Add(configMap("a", ""))
		if req.Parent.Spec.Text != "part" {
			want.Pods.Add(pod("slow", "web:1"))
		}
		return &Response{Children: want, KeepAll: req.Parent.Spec.Text == "part"}, nil
	}})
	f.Exists(pod("slow", ""))
	f.text("part")
	f.Settled()
	ready := meta.FindStatusCondition(f.status("Ready", "Progressing").Conditions, "Ready")
	if !strings.HasPrefix(ready.Message, "Pod slow ") {
		t.Errorf("Ready says %q", ready.Message)
	}
	f.MakeReady(pod("slow", ""))
	f.status("Ready", "Ready")
	f.Converged(f.site)
}

// A child that waits for another and one that replaces another do so in a part of an answer, too.
func TestOptionsCountInAPartOfAnAnswer(t *testing.T) {
	f := start(t, &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		if req.Parent.Spec.Text == "hello" {
			want.ConfigMaps.Add(configMap("old", ""))
			want.ConfigMaps.Add(configMap("other", ""))
			return &Response{Children: want}, nil
		}
		first := pod("first", "web:1")
		want.Pods.Add(first)
		want.ConfigMaps.Add(configMap("second", ""), operator.After(first))
		want.ConfigMaps.Add(configMap("new", ""), operator.Replaces(configMap("old", "")))
		return &Response{Children: want, KeepAll: true}, nil
	}})
	f.status("Ready", "Ready")
	f.text("part")
	f.Exists(pod("first", ""), configMap("new", ""))
	f.Gone(configMap("old", ""))
	f.Settled()
	f.lacking(configMap("second", ""))
	f.MakeReady(pod("first", ""))
	f.Exists(configMap("second", ""), configMap("other", ""))
	f.Converged(f.site)
}

// A request that every child is written waits for the whole answer.
func TestPartOfAnAnswerCompletesNoRequest(t *testing.T) {
	f := start(t, &author{sync: partly})
	f.status("Ready", "Ready")
	f.text("part")
	f.Update(f.site, func() { metav1.SetMetaDataAnnotation(&f.site.ObjectMeta, requestKey, "now") })
	f.Reconcile(f.site)
	f.Settled()
	f.Get(f.site)
	if handled := meta.FindStatusCondition(f.site.Status.Conditions, "ReconcileHandled"); handled != nil {
		t.Errorf("the request is handled: %+v", handled)
	}
	f.text("whole")
	f.status("ReconcileHandled", "Requested")
	f.Converged(f.site)
}

// Finalize adds a backup and leaves everything as it is until that is complete.
func TestFinalizeAddsOneChildAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*siteDefinition){
		"":                 func(*siteDefinition) {},
		"ordered teardown": func(d *siteDefinition) { d.Teardown = operator.TeardownOrdered },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, &author{sync: partly, alter: alter, finalize: func(_ context.Context, req *Request) (*Response, error) {
				want := new(Desired)
				backup := pod("backup", "backup:1")
				want.Pods.Add(backup, operator.WhenDeleted(operator.Orphan))
				return &Response{Children: want, KeepAll: true, Finalized: req.Children.Pods.Ready(backup.Name)}, nil
			}})
			f.status("Ready", "Ready")
			f.Delete(f.site)
			f.Exists(pod("backup", ""))
			f.Settled()
			f.Crash()
			f.Settled()
			f.Exists(configMap("a", ""), configMap("b", ""), service("web"), f.site)
			f.MakeReady(pod("backup", ""))
			f.Gone(f.site, configMap("a", ""), configMap("b", ""), service("web"))
			f.Exists(pod("backup", ""))
		})
	}
}

func TestPartsOfAnAnswerPruneNothingAndEndNoEdit(t *testing.T) {
	part := func(_ context.Context, req *Request) (*Response, error) {
		return &Response{Children: new(Desired), KeepAll: true}, nil
	}
	f := startFleet(t, &author{sync: desireFor(func(site *testapi.Site, want *Desired) { want.ConfigMaps.Add(configMap(site.Name, "one")) })})
	f.setSync(part)
	f.Restart()
	f.neverHeld()
	f.countChildren(&corev1.ConfigMapList{}, len(f.sites))

	f.edit("changed") // which explains what the whole answer drops, however late that comes
	f.countReady("Ready", len(f.sites))
	f.neverHeld()
	f.setSync(desireFor(desireNone))
	f.touch(f.sites, "again")
	f.countChildren(&corev1.ConfigMapList{}, 0)
	f.neverHeld()
}
