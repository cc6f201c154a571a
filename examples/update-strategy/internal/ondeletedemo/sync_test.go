package ondeletedemo

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/update-strategy/api/v1"
	"example.com/update-strategy/internal/configmap"
)

func newDemo(data string) *v1.OnDeleteDemo {
	return &v1.OnDeleteDemo{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec:       v1.OnDeleteDemoSpec{ConfigData: data},
	}
}

func TestSync(t *testing.T) {
	want := new(Desired)
	want.ConfigMaps.Add(configmap.For("one", "new"))
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "a new parent gets a ConfigMap",
			Given:  Request{Parent: newDemo("new")},
			Expect: &Response{Children: want, Status: &v1.OnDeleteDemoStatus{}},
		},
		operatortest.Case[Request, Response]{
			Name: "the status says what the ConfigMap contains",
			Given: Request{
				Parent:   newDemo("new"),
				Children: Children{ConfigMaps: operator.NewSnapshot(configmap.For("one", "old"))},
			},
			Expect: &Response{Children: want, Status: &v1.OnDeleteDemoStatus{ConfigData: "old"}},
		},
	)
}

// TestUpdate shows the strategy of the spec file, without a cluster.
func TestUpdate(t *testing.T) {
	demo := newDemo("v1")
	controller, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	sim := operatortest.Simulate(t, new(Reconciler).Sync, demo, controller)
	sim.Converged()
	demo.Spec.ConfigData = "v2"
	sim.Converged()
	sim.Expect(operatortest.Case[Request, Response]{
		ExpectPart: &Response{Status: &v1.OnDeleteDemoStatus{ConfigData: "v1"}},
	})
	sim.Delete(configmap.For("one", ""))
	sim.Converged()
	sim.Expect(operatortest.Case[Request, Response]{
		ExpectPart: &Response{Status: &v1.OnDeleteDemoStatus{ConfigData: "v2"}},
	})
}
