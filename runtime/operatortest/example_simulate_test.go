package operatortest_test

import (
	"errors"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A parent's life in memory: what Sync desires is what it observes in the next step.
func ExampleSimulate() {
	testSimulation = func(t *testing.T) { // func TestLife(t *testing.T)
		ledger := &Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "hello"}}
		sim := operatortest.Simulate(t, new(Reconciler).Sync, ledger)
		sim.Step() // the ConfigMap is created
		sim.Expect(Case{ExpectPart: &Response{Status: &Status{Phase: "Copied"}}})

		ledger.Spec.Text = "bye"
		sim.Converged()        // nothing changes any more
		sim.Advance(time.Hour) // the time to live is over
		if sim.Get(textMap("web", "")) {
			t.Error("the ConfigMap is still there")
		}
	}
}

// Each method of a simulation in one line.
func ExampleSimulation() {
	type Case = operatortest.Case[partsRequest, partsResponse]
	testSimulationMethods = func(t *testing.T, sync partsSync, controller operator.Controller, ledger *Ledger, pod *corev1.Pod, deployment *appsv1.Deployment, job *batchv1.Job) {
		sim := operatortest.Simulate(t, sync, ledger, controller) // with what the spec file says of the kinds
		sim.Finalize = sync                                       // runs once the parent is deleted
		sim.Related = struct{}{}                                  // the related objects
		sim.Create(deployment)                                    // a child that exists already
		sim.Refuse(job, errors.New("exceeded quota"))             // nil accepts it again
		response := sim.Step()                                    // calls Sync once and carries out its answer
		sim.Expect(Case{ExpectPart: response})                    // so, and requires an answer
		sim.Refuse(job, nil)
		sim.Converged() // steps until one changes nothing

		sim.MakeReady(deployment)
		sim.MakeFailed(job)
		sim.MakeCrashing(pod, 3) // it has been restarted three times
		exists := sim.Get(job)   // reads it
		sim.Update(deployment, func() { deployment.Labels = map[string]string{"by": "somebody"} })
		sim.Delete(pod)
		sim.Parent.Spec.Text = "two"
		sim.Advance(time.Hour)   // what is due meanwhile runs at its time
		now := sim.Now()         // of the next step
		request := sim.Request() // so
		sim.Delete(ledger)       // Finalize runs in the next step
		if !exists || request.Children.Deployments.Len() != 1 || request.Now != now || ledger.Spec.Text != "two" {
			t.Error(exists, request, now)
		}
	}
}

var (
	testSimulation        func(*testing.T)
	testSimulationMethods func(*testing.T, partsSync, operator.Controller, *Ledger, *corev1.Pod, *appsv1.Deployment, *batchv1.Job)
)

// TestSimulationExamples runs what the examples show.
func TestSimulationExamples(t *testing.T) {
	ExampleSimulate()
	t.Run("life", testSimulation)
	ExampleSimulation()
	sync := desireParts(&corev1.Pod{}, &appsv1.Deployment{}, &batchv1.Job{})
	testSimulationMethods(t, sync, partsController(sync), newLedger(), named(&corev1.Pod{}), named(&appsv1.Deployment{}), named(&batchv1.Job{}))
}
