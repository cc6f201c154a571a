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

// Children that the operator creates are as desired whatever happens to them, although they would be
// adopted as they are.
func TestExploreAsItIs(t *testing.T) {
	longtest.Skip(t, "it explores children that are adopted as they are")
	t.Parallel()
	a := &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		want := new(Desired)
		child := configMap(req.Parent.Name, req.Parent.Spec.Text)
		child.Labels = map[string]string{"app": "web"}
		want.ConfigMaps.Add(child, operator.AdoptAsItIs)
		want.Services.Add(service(req.Parent.Name), operator.AdoptAsItIs)
		return &Response{Children: want, Status: &testapi.Status{Phase: "Running"}}, nil
	}}
	operatortest.Explore(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	}, operatortest.Life{Parents: []func(string) client.Object{func(name string) client.Object { return site(name) }}})
}
