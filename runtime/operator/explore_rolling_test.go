package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/kubelet"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// Pods that are evicted in their turn, of which half may be down at a time and one keeps its version, are
// as desired in the end, and their labels at once.
func TestExploreRolling(t *testing.T) {
	longtest.Skip(t, "it explores rolling updates")
	t.Parallel()
	a := &author{
		sync: func(_ context.Context, req *Request) (*Response, error) {
			want := new(Desired)
			for _, member := range []string{"a", "b", "kept"} {
				strategy := operator.RollingRecreate
				if member == "kept" { // below the partition
					strategy = operator.OnDelete
				}
				want.Pods.Add(exploredPod(req.Parent.Name+"-"+member), strategy, operator.UpdateLast(member == "a"))
			}
			return &Response{Children: want, Status: &testapi.Status{Phase: "Running"}}, nil
		},
		alter: func(d *siteDefinition) {
			d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
				described := kinds(observed, desired)
				described[3].Evict, described[3].MaxUnavailable, described[3].InPlace = true, "67%", []string{".metadata.labels"}
				return described
			}
		},
	}
	operatortest.Explore(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Kubelet:     kubelet.PlayPod,
	}, operatortest.Life{Parents: []func(string) client.Object{func(name string) client.Object { return site(name) }}})
}

// exploredPod is a Pod with a label that is applied in place, and an image that is not.
func exploredPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"role": "replica"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "web:1"}}},
	}
}
