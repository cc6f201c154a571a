package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Whatever happens to a Secret with a generated value, the rest of it is as desired in the end.
func TestExploreGenerated(t *testing.T) {
	longtest.Skip(t, "it explores generated values")
	t.Parallel()
	a := &author{sync: func(_ context.Context, req *Request) (*Response, error) {
		name, want := req.Parent.Name, new(Desired)
		want.Secrets.Add(named(&corev1.Secret{StringData: map[string]string{"user": "ann"}}, name), operator.Generate("password", operator.Random(24), req.Parent.Spec.Text))
		if _, ok := req.Children.Secrets.Generated(name, "password"); !ok {
			return &Response{Children: want, KeepAll: true, Status: &testapi.Status{Phase: "Waiting"}}, nil
		}
		return &Response{Children: want, Status: &testapi.Status{Phase: "Running"}}, nil
	}}
	operatortest.Explore(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
	}, operatortest.Life{Parents: []func(string) client.Object{func(name string) client.Object { return site(name) }}})
}
