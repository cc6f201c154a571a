package podnamelabel

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestSync(t *testing.T) {
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name: "a Pod is labelled with its name, where it says",
			Given: Request{Parent: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Name: "web-0", Annotations: map[string]string{annotation: "example.com/pod-name"},
			}}},
			Expect: &Response{Labels: map[string]string{"example.com/pod-name": "web-0"}},
		},
	)
}
