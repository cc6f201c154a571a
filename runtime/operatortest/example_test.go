package operatortest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// In a generated package these are made already.
type (
	Request    = ledgerRequest
	Response   = ledgerResponse
	Children   = books
	Desired    = ledgerChildren
	Case       = operatortest.Case[Request, Response]
	Reconciler struct{}
	Status     = LedgerStatus
)

// Sync wants a ConfigMap with the text, and drops it after an hour.
func (r *Reconciler) Sync(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	left := time.Hour - req.Now.Sub(req.Parent.CreationTimestamp.Time)
	if left <= 0 {
		return &Response{Children: want, Status: &Status{Phase: "Expired"}}, nil
	}
	want.ConfigMaps.Add(textMap(req.Parent.Name, req.Parent.Spec.Text))
	status := &Status{Phase: "New"}
	if _, ok := req.Children.ConfigMaps.Get(req.Parent.Name); ok {
		status.Phase = "Copied"
	}
	return &Response{Children: want, Status: status, RequeueAfter: left}, nil
}

// A package of cases reads like a table: what is given, what is expected.
func ExampleRun() {
	testSync = func(t *testing.T) { // func TestSync(t *testing.T)
		born := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
		ledger := &Ledger{
			ObjectMeta: metav1.ObjectMeta{Name: "web", CreationTimestamp: metav1.NewTime(born)},
			Spec:       LedgerSpec{Text: "hello"},
		}
		want := new(Desired)
		want.ConfigMaps.Add(textMap("web", "hello"))

		operatortest.Run(t, new(Reconciler).Sync,
			Case{
				Name:   "a new one gets its ConfigMap",
				Given:  Request{Parent: ledger, Now: born},
				Expect: &Response{Children: want, Status: &Status{Phase: "New"}, RequeueAfter: time.Hour},
			},
			Case{
				Name: "the status says that it is there",
				Given: Request{Parent: ledger, Now: born.Add(time.Minute), Children: Children{
					ConfigMaps: operator.NewSnapshot(textMap("web", "hello")),
				}},
				Expect: &Response{Children: want, Status: &Status{Phase: "Copied"}, RequeueAfter: 59 * time.Minute},
			},
			Case{
				Name:   "it goes after an hour",
				Given:  Request{Parent: ledger, Now: born.Add(time.Hour)},
				Expect: &Response{Children: new(Desired), Status: &Status{Phase: "Expired"}},
			},
		)
	}
}

// A test against a real API server: what the operator creates, that it converges, and
// what an hour brings.
func ExampleStart() {
	testController = func(t *testing.T) { // func TestController(t *testing.T)
		cluster := operatortest.Start(t, operatortest.Config{
			Controllers: func(operator.Manager) ([]operator.Controller, error) {
				return []operator.Controller{ledgers(new(Reconciler).Sync)}, nil // New(mgr), in a generated package
			},
			CRDs:    []string{"testdata/crd.yaml"},
			Schemes: runtime.SchemeBuilder{addToScheme},
		})
		ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "hello"}}
		cluster.Create(ledger)
		cluster.Matches(textMap("web", "hello"))
		cluster.Converged(ledger)

		cluster.Advance(time.Hour)
		cluster.Gone(textMap("web", ""))
		cluster.Converged(ledger)
	}
}

func ExampleDiff() {
	expected, got := new(Desired), new(Desired)
	expected.ConfigMaps.Add(textMap("web", "one"))
	got.ConfigMaps.Add(textMap("web", "two"))
	fmt.Print(operatortest.Diff(&Response{Children: expected}, &Response{Children: got}))
	// Output:
	// Children.ConfigMaps web.data.text:
	//   - "one"
	//   + "two"
}

func ExampleDiffSubset() {
	expected := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "main:2"}},
	}}}}
	got := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](3), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "proxy", Image: "proxy:1"}, {Name: "main", Image: "main:1"}},
	}}}}
	fmt.Print(operatortest.DiffSubset(expected, got))
	// Output:
	// spec.template.spec.containers[main].image:
	//   - "main:2"
	//   + "main:1"
}

var testSync, testController func(*testing.T)

// TestExamples runs what the examples show.
func TestExamples(t *testing.T) {
	ExampleRun()
	t.Run("cases", testSync)
	ExampleStart()
	t.Run("cluster", testController)
}
