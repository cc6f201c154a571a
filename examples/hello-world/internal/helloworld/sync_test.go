package helloworld

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	demov1 "example.com/hello-world/api/v1"
)

func newHello(who string) *demov1.HelloWorld {
	return &demov1.HelloWorld{
		ObjectMeta: metav1.ObjectMeta{Name: "your-name"},
		Spec:       demov1.HelloWorldSpec{Who: who},
	}
}

// greeting is a part of the Pod: what it prints.
func greeting(text string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "your-name"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "hello", Command: []string{"echo", text},
		}}},
	}
}

// Sync is a function of its request, so its tests need no cluster.
func TestSync(t *testing.T) {
	hello, want := newHello("Ada"), new(Desired)
	want.Pods.Add(greeting("Hello, Ada!"))
	operatortest.Run(t, new(Reconciler).Sync,
		operatortest.Case[Request, Response]{
			Name:       "a Pod greets",
			Given:      Request{Parent: hello},
			ExpectPart: &Response{Children: want},
			Check: func(t testing.TB, got *Response) {
				if got.Status.Pods != 0 {
					t.Errorf("the status counts %d Pods before there is one", got.Status.Pods)
				}
			},
		},
		operatortest.Case[Request, Response]{
			Name: "the status counts it",
			Given: Request{
				Parent:   hello,
				Children: Children{Pods: operator.NewSnapshot(greeting("Hello, Ada!"))},
			},
			ExpectPart: &Response{Children: want, Status: &demov1.HelloWorldStatus{Pods: 1}},
		},
		operatortest.Case[Request, Response]{
			Name: "it greets the world by default",
			Given: Request{
				Parent: operatortest.Defaulted(t, "../../deploy/zz_generated.crd.yaml", newHello("")),
			},
			Check: func(t testing.TB, got *Response) {
				for pod := range got.Children.Pods.All() {
					if text := pod.Spec.Containers[0].Command[1]; text != "Hello, World!" {
						t.Errorf("it says %q", text)
					}
				}
			},
		},
	)
}

func testConfig() operatortest.Config {
	return operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			controller, err := New(mgr)
			return []operator.Controller{controller}, err
		},
		CRDs:    []string{"../../deploy/zz_generated.crd.yaml"},
		Roles:   "../../deploy/zz_generated.rbac.yaml",
		Schemes: runtime.SchemeBuilder{demov1.AddToScheme},
	}
}

// TestExplore changes the Pod behind the operator's back, changes what Sync desires, and lets requests
// fail: each time the Pod must be as desired in the end.
func TestExplore(t *testing.T) {
	named := func(name string) *demov1.HelloWorld {
		hello := newHello("Ada")
		hello.Name = name
		return hello
	}
	operatortest.Explore(t, testConfig(), operatortest.Life{Parents: operatortest.ParentsOf(named)})
}

// TestHelloWorld runs the operator against a real API server; without one it skips. See make test-e2e.
func TestHelloWorld(t *testing.T) {
	cluster := operatortest.Start(t, testConfig())
	hello := newHello("")
	cluster.Create(hello)
	cluster.Matches(greeting("Hello, World!"))
	finish(cluster, hello)

	// Another greeting needs another Pod: the command of one that exists cannot change.
	first := greeting("")
	cluster.Exists(first)
	cluster.Update(hello, func() { hello.Spec.Who = "Ada" })
	cluster.Gone(first)
	cluster.Matches(greeting("Hello, Ada!"))
	finish(cluster, hello)

	// What somebody deletes is there again.
	second := greeting("")
	cluster.Exists(second)
	cluster.Delete(second)
	cluster.Gone(second)
	cluster.Matches(greeting("Hello, Ada!"))
	finish(cluster, hello)

	cluster.Delete(hello)
	cluster.Gone(hello, greeting(""))
}

// finish plays the kubelet, for whom the Pod ends well, and waits until the status says so.
func finish(cluster *operatortest.Cluster, hello *demov1.HelloWorld) {
	pod := greeting("")
	cluster.Exists(pod)
	cluster.UpdateStatus(pod, func() { pod.Status.Phase = corev1.PodSucceeded })
	cluster.Eventually("the HelloWorld is Ready with one Pod", func() error {
		cluster.Get(hello)
		for _, condition := range hello.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == metav1.ConditionTrue && hello.Status.Pods == 1 {
				return nil
			}
		}
		return fmt.Errorf("the status is %+v", hello.Status)
	})
	cluster.Converged(hello)
}
