package echoserver

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"github.com/opgen-dev/opgen/bench/fleet/operator/api/v1alpha1"
	"github.com/opgen-dev/opgen/bench/fleet/operator/children"
)

func TestSync(t *testing.T) {
	echo := &v1alpha1.EchoServer{
		ObjectMeta: metav1.ObjectMeta{Name: "parrot", Namespace: "cage"},
		Spec:       v1alpha1.EchoServerSpec{Message: "hello", Image: "echo:1"},
	}
	want := new(Desired)
	want.ConfigMaps.Add(children.ConfigMap(echo))
	want.Services.Add(children.Service(echo))
	want.Deployments.Add(children.Deployment(echo))

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:   "a new EchoServer gets its three children",
			Given:  Request{Parent: echo},
			Expect: &Response{Children: want, Status: &v1alpha1.EchoServerStatus{URL: "http://parrot.cage.svc"}},
		},
		operatortest.Case[Request, Response]{
			Name: "the status counts the Pods that are ready",
			Given: Request{Parent: echo, Children: Children{Deployments: operator.NewSnapshot(&appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "parrot", Namespace: "cage"},
				Status:     appsv1.DeploymentStatus{ReadyReplicas: 2},
			})}},
			Expect: &Response{Children: want, Status: &v1alpha1.EchoServerStatus{URL: "http://parrot.cage.svc", ReadyReplicas: 2}},
		},
	)
}
