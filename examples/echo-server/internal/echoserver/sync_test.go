package echoserver

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/echo-operator/api/v1alpha1"
)

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	echo := &v1alpha1.EchoServer{
		ObjectMeta: metav1.ObjectMeta{Name: "parrot"},
		Spec:       v1alpha1.EchoServerSpec{ServiceName: "polly"},
	}
	want := new(Desired)
	want.Pods.Add(podFor(echo))
	want.Services.Add(serviceFor(echo))

	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:  "a new EchoServer gets a Pod and a Service",
			Given: Request{Parent: echo},
			Expect: &Response{
				Children: want,
				Status:   &v1alpha1.EchoServerStatus{Phase: "Pending", Message: "waiting for the Pod"},
			},
		},
		operatortest.Case[Request, Response]{
			Name: "the status says what the Pod says",
			Given: Request{Parent: echo, Children: Children{Pods: operator.NewSnapshot(&corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "parrot"},
				Status:     corev1.PodStatus{Phase: corev1.PodFailed, Message: "no seeds left"},
			})}},
			Expect: &Response{
				Children: want,
				Status:   &v1alpha1.EchoServerStatus{Phase: "Failed", Message: "no seeds left"},
			},
		},
	)
}

func TestChildrenCarryTheServiceName(t *testing.T) {
	echo := &v1alpha1.EchoServer{Spec: v1alpha1.EchoServerSpec{ServiceName: "polly"}}
	pod, service := podFor(echo), serviceFor(echo)
	if got := pod.Spec.Containers[0].Env[0].Value; got != "polly" {
		t.Errorf("the server answers as %q, want polly", got)
	}
	for key, value := range service.Spec.Selector {
		if pod.Labels[key] != value {
			t.Errorf("the Service selects %s=%s, the Pod has %q", key, value, pod.Labels[key])
		}
	}
}

// testConfig runs the operator against a real API server; without one the tests skip. See make test-e2e.
func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{v1alpha1.AddToScheme},
	}
}

func newEcho(name string) *v1alpha1.EchoServer {
	return &v1alpha1.EchoServer{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.EchoServerSpec{ServiceName: "polly"},
	}
}

// TestExplore changes the children behind the operator's back, changes what Sync desires, and lets requests fail: each
// time the children must be as desired in the end. make explore tries more of it.
func TestExplore(t *testing.T) {
	operatortest.Explore(t, testConfig(), operatortest.Life{
		Parents: operatortest.ParentsOf(newEcho),
	})
}

func TestEchoServer(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	echo := newEcho("parrot")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "parrot"}}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "parrot"}}

	cluster.Create(echo)
	cluster.Exists(pod, service)
	if requests := cluster.Settled(); requests != 3 {
		t.Errorf("a new EchoServer cost %d requests, want 3 (Pod, Service, status): %v", requests, cluster.Requests())
	}
	cluster.Converged(echo)

	// The kubelet's part: the status follows.
	cluster.UpdateStatus(pod, func() { pod.Status.Phase = corev1.PodRunning })
	cluster.Eventually("the status says Running", func() error {
		if cluster.Get(echo); echo.Status.Phase != "Running" {
			return errors.New("phase " + echo.Status.Phase)
		}
		return nil
	})

	// A change reaches the Service in place; the Pod is recreated.
	before := *service
	cluster.Update(echo, func() { echo.Spec.ServiceName = "coco" })
	cluster.Gone(pod)
	cluster.Eventually("the children carry the new name", func() error {
		if !cluster.Get(pod) || pod.Labels[nameLabel] != "coco" {
			return errors.New("not the Pod")
		}
		if !cluster.Get(service) || service.Spec.Selector[nameLabel] != "coco" {
			return errors.New("not the Service")
		}
		return nil
	})
	if service.UID != before.UID {
		t.Error("the Service was recreated, want it updated in place")
	}

	// A deleted child is created again, and then nothing is left to do. The children go with their parent.
	cluster.Delete(service)
	cluster.Gone(service)
	cluster.Exists(service)
	cluster.Converged(echo)
	cluster.Delete(echo)
	cluster.Gone(echo, pod, service)
}
