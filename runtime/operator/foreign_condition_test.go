package operator_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// foreign is a condition that another writer sets.
var foreign = metav1.Condition{Type: "Foreign", Status: metav1.ConditionTrue, Reason: "Another", Message: "is set by another", LastTransitionTime: metav1.NewTime(time.Unix(1e9, 0))}

// meanwhile returns a Sync with an answer before which something happens once
// that the reconcile does not see.
func meanwhile(happens func(), response Response) Function {
	var once sync.Once
	return func(context.Context, *Request) (*Response, error) {
		once.Do(happens)
		return &response, nil
	}
}

// setForeign is another writer of the Site's conditions.
func (f *fixture) setForeign() {
	current := site("web")
	f.UpdateStatus(current, func() { meta.SetStatusCondition(&current.Status.Conditions, foreign) })
}

func (f *fixture) hasForeign() {
	f.t.Helper()
	if f.Get(f.site); meta.FindStatusCondition(f.site.Status.Conditions, foreign.Type) == nil {
		f.t.Errorf("it is gone: %+v", f.site.Status.Conditions)
	}
}

func TestForeignConditionThatComesMeanwhileStays(t *testing.T) {
	t.Parallel()
	warm := Response{Conditions: []metav1.Condition{{Type: "Warm", Status: "True", Reason: "Heated"}}}
	t.Run("beside others", func(t *testing.T) {
		f := start(t, &author{sync: desire(func(*Desired) {})})
		f.status("Ready", "Ready")
		f.setSync(meanwhile(f.setForeign, warm))
		f.reconcile()
		f.status("Warm", "Heated")
		f.hasForeign()
		f.setSync(meanwhile(func() {}, Response{Conditions: []metav1.Condition{}})) // of which the condition of before goes
		f.reconcile()
		f.Settled()
		f.hasForeign()
		if got := f.site.Status.Conditions; len(got) != 2 {
			t.Errorf("conditions are %+v, want Ready and Foreign", got)
		}
	})
	t.Run("first in the status", func(t *testing.T) {
		var f *fixture
		created := make(chan struct{})
		f = start(t, &author{sync: meanwhile(func() { <-created; f.setForeign() }, warm)})
		close(created)
		f.status("Warm", "Heated")
		f.hasForeign()
	})
	t.Run("first of the conditions", func(t *testing.T) {
		f := start(t, &author{sync: func(context.Context, *Request) (*Response, error) { return new(Response), nil }})
		f.reconcile()
		f.UpdateStatus(f.site, func() { f.site.Status.Phase = "set by another" })
		f.setSync(meanwhile(f.setForeign, warm))
		f.reconcile()
		f.status("Warm", "Heated")
		f.hasForeign()
	})
}

// The Go type of a project's conditions need not know all that the CRD does.
func TestForeignConditionsAreNotWritten(t *testing.T) {
	t.Parallel()
	version := schema.GroupVersion{Group: "severe.test.opgen.dev", Version: "v1"}
	schemes := runtime.SchemeBuilder{func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(version, new(testapi.Site), new(testapi.SiteList))
		metav1.AddToGroupVersion(scheme, version)
		return nil
	}}
	a := &author{sync: desire(func(*Desired) {}), alter: func(d *siteDefinition) {
		d.Group, d.Schemes = version.Group, schemes
	}}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/severe.yaml"},
		Schemes:     schemes,
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	f.Create(f.site)
	f.status("Ready", "Ready")

	odd := `{"type":"Foreign","status":"True","severity":"High","lastTransitionTime":"2026-01-02T03:04:05.678+02:00"}`
	add := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"add","path":"/status/conditions/0","value":`+odd+`}]`))
	if err := f.Client.Status().Patch(t.Context(), f.site, add); err != nil {
		t.Fatal(err)
	}
	before := f.Settled()
	f.setSync(func(context.Context, *Request) (*Response, error) {
		return &Response{Conditions: []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Cold"}}}, nil
	})
	f.reconcile()
	f.status("Ready", "Cold")
	f.expectRequests(before, "patch sites/status web: 200")
	raw := operator.Unstructured(version.String(), "Site")
	raw.SetName("web")
	f.Get(raw)
	conditions, _, _ := unstructured.NestedSlice(raw.Object, "status", "conditions")
	i := slices.IndexFunc(conditions, func(c any) bool { return c.(map[string]any)["type"] == "Foreign" })
	if i < 0 {
		t.Fatalf("conditions are %v", conditions)
	}
	got := fmt.Sprint(conditions[i])
	if want := "map[lastTransitionTime:2026-01-02T03:04:05.678+02:00 severity:High status:True type:Foreign]"; got != want {
		t.Errorf("it is %s\nwant  %s", got, want)
	}
}
