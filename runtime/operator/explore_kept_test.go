package operator_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Whatever happens to a Service of which Sync desires what it has desired before, it is as desired in the
// end. Only an edit of the annotation while the operator is down leaves nothing to go by: Sync then desires
// all of it again.
func TestExploreKept(t *testing.T) {
	longtest.Skip(t, "it explores what a child keeps")
	t.Parallel()
	a := &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		web, ok := req.Children.Services.Desired(req.Parent.Name)
		if !ok {
			web = service(req.Parent.Name)
			web.Spec.Ports[0].Name = "web"
		}
		web.Labels["text"] = req.Parent.Spec.Text
		want.Services.Add(web)
		return &Response{Children: want, Status: &testapi.Status{Phase: "Synced"}}, nil
	}, alter: func(d *siteDefinition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			all[2].KeepDesired = true
			return all
		}
	}}
	operatortest.Explore(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	}, operatortest.Life{Parents: []func(string) client.Object{func(name string) client.Object { return site(name) }}})
}
