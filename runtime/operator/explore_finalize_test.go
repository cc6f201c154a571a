package operator_test

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// finalizedLabel is on the explored parents that have a Finalize.
const finalizedLabel = "finalized"

func finalizingSite(name string) client.Object {
	parent := site(name)
	parent.Labels = map[string]string{finalizedLabel: ""}
	return parent
}

type (
	finalizedChildren = operator.Snapshot[*corev1.LimitRange]
	finalizedDesired  = operator.DesiredSet[*corev1.LimitRange]
	finalizedRequest  = operator.Request[*testapi.Site, finalizedChildren, struct{}]
	finalizedResponse = operator.Response[finalizedDesired, testapi.Status]
)

// finalizingController makes a controller whose Finalize desires a last child.
func finalizingController() operator.Controller {
	return operator.NewController(operator.Definition[*testapi.Site, testapi.Status, finalizedChildren, finalizedDesired, struct{}]{
		Name:    "finalizing",
		Group:   testapi.Version.Group,
		Parents: []operator.ParentKind{{Object: &testapi.Site{}, Labels: finalizedLabel}},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Kinds: func(observed *finalizedChildren, desired *finalizedDesired) []operator.ChildKind {
			return []operator.ChildKind{{Object: &corev1.LimitRange{}, Policies: operator.Policies{Update: operator.CreateOnly}, Fields: operator.Bind(observed, desired)}}
		},
		Status:             func(s *testapi.Site) *testapi.Status { return &s.Status },
		Conditions:         func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
		ObservedGeneration: func(s *testapi.Status) *int64 { return &s.ObservedGeneration },
		Sync: func(_ context.Context, req *finalizedRequest) (*finalizedResponse, error) {
			want := new(finalizedDesired)
			want.Add(limitRange(req.Parent.Name))
			return &finalizedResponse{Children: want, Status: new(testapi.Status)}, nil
		},
		Finalize: func(_ context.Context, req *finalizedRequest) (*finalizedResponse, error) {
			want := new(finalizedDesired)
			want.Keep(req.Parent.Name)
			want.Add(limitRange(req.Parent.Name + "-" + string(req.Parent.UID[:8])))
			return &finalizedResponse{Children: want, Finalized: true}, nil
		},
	})
}

func limitRange(name string) *corev1.LimitRange {
	return &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypePod, Max: corev1.ResourceList{"cpu": resource.MustParse("1k")}},
	}}}
}
