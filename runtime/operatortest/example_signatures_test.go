package operatortest_test

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

var denied = metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "not today"}

// Each method in one line, in the order of a test that uses them all.
func ExampleCluster() {
	testSignatures = func(t *testing.T, config operatortest.Config, ledger *Ledger, pod *corev1.Pod, deployment *appsv1.Deployment, job *batchv1.Job) {
		started := time.Now()
		config.Now = started                                                              // the time of the operator's clock
		config.Impure = false                                                             // true: Sync answers differently when it is called twice
		config.Roles = ""                                                                 // a file of roles: the operator has these permissions only
		config.Faults = []operatortest.Fault{}                                            // as by Inject, from the first request on
		config.User = ""                                                                  // the user whose permissions it has
		config.LacksRights = false                                                        // true: the test is about requests that Roles refuse
		config.Kubelet = nil                                                              // kubelet.PlayPod: Pods run and Jobs succeed, as they appear
		config.Webhooks = nil                                                             // files with webhook configurations: the API server asks the operator
		config.Options = func(o *operator.Options) {}                                     // changes the options of the operator
		config.Transport = func(next http.RoundTripper) http.RoundTripper { return next } // sees, delays, answers its requests
		cluster := operatortest.Start(t, config)

		// Objects: now, in the test's namespace if they name none.
		cluster.Create(ledger, pod, deployment, job)
		exists := cluster.Get(ledger)                                     // reads it
		cluster.Update(ledger, func() { ledger.Spec.Text = "two" })       // reads it, changes it and writes it
		cluster.UpdateStatus(pod, func() { pod.Status.Message = "busy" }) // so with its status
		children := cluster.Children(ledger)                              // of all kinds, as the API server has them
		maps := operatortest.ChildrenOf[*corev1.ConfigMap](cluster, ledger)
		cluster.Delete(pod)
		cluster.Refused(textMap("Not A Name", ""), "metadata.name") // by the API server: its creation, or the change to this

		// Waits: up to a minute, or OPGEN_TEST_PATIENCE; twice that until a Namespace is gone.
		cluster.Exists(ledger)                                                          // and reads it
		cluster.Matches(textMap("web", "two"))                                          // each field that is set is so
		cluster.Gone(pod)                                                               // or another one has its name
		cluster.Eventually("it is new", func() error { return isNew(cluster, ledger) }) // until there is no error

		// The kubelet.
		cluster.MakeCrashing(deployment, 3) // its Pods have been restarted three times
		cluster.MakeReady(deployment)       // its Pods run
		cluster.MakeFailed(job)             // its Pods have failed

		// Reconciles.
		result := cluster.Reconcile(ledger)         // now, as it is now; with the error, if there is one
		cluster.Reconciled(ledger)                  // fails the test if the reconcile fails
		results := cluster.ReconcileResults(ledger) // of all since the operator was started
		failed := cluster.Errors(ledger)["SyncFailed"]

		// Proofs.
		cluster.Settled()                    // nothing is left to do
		cluster.Converged(ledger)            // nothing is written again
		cluster.Truthful(ledger)             // children are as desired, or the status says why not
		cluster.WritesAtMost(5, time.Second) // an operator that cannot converge backs off
		end := cluster.EndState(ledger)      // to compare with another run, by operatortest.Diff
		all, writes := cluster.Requests(), cluster.Writes()
		sent := cluster.Sent() // by the operator's client, if the audit log is read as well

		// The clock.
		cluster.StopClock()            // only Advance moves it
		cluster.Advance(2 * time.Hour) // what is due meanwhile runs at its time
		now := cluster.Now()

		// What goes wrong.
		fault := operatortest.Fault{Verb: "create", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseForbidden}
		cluster.Inject(fault)
		cluster.ClearFaults()
		struck := cluster.Struck(fault) // how often
		cluster.MarkPast()              // what caches show after the fault travel
		cluster.Stop()
		cluster.Restart() // with an empty memory
		cluster.Crash()   // so, and nothing that has begun is finished
		cluster.Mutate(&corev1.ConfigMap{}, `{"metadata":{"labels":{"team":"shop"}}}`)
		allow := cluster.Deny(&corev1.ConfigMap{}, "update", denied)
		cluster.DenyByPolicy(&corev1.ConfigMap{}, "delete", denied)
		allow()
		if !exists || len(children) > 1 || len(maps) > 1 || result.Err != nil || len(results) == 0 || failed != 0 {
			t.Error(exists, children, maps, result, results, failed)
		}
		if len(all) == 0 || len(writes) == 0 || len(sent) == 0 || struck != 0 || now.Before(started.Add(2*time.Hour)) {
			t.Error(all, writes, sent, struck, now)
		}
		if text := operatortest.Diff(end, cluster.EndState(ledger)); !strings.Contains(text, "Expired") {
			t.Error(text)
		}
	}
}

func isNew(cluster *operatortest.Cluster, ledger *Ledger) error {
	if cluster.Get(ledger); ledger.Status.Phase == "" {
		return errors.New("it has no phase")
	}
	return nil
}

var testSignatures func(*testing.T, operatortest.Config, *Ledger, *corev1.Pod, *appsv1.Deployment, *batchv1.Job)

// TestSignatures runs the lines that docs/testing.md shows.
func TestSignatures(t *testing.T) {
	ExampleCluster()
	t.Parallel()
	ended := podTemplate()
	ended.Labels, ended.Spec.RestartPolicy = map[string]string{"app": "job"}, corev1.RestartPolicyNever
	testSignatures(t, ledgerConfig(new(Reconciler).Sync),
		&Ledger{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: LedgerSpec{Text: "hello"}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: podSpec()},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: podTemplate(),
		}},
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "check"}, Spec: batchv1.JobSpec{Template: ended}},
	)
}

// TestDocsShowEachSignature requires a line of Go for each method in docs/testing.md.
func TestDocsShowEachSignature(t *testing.T) {
	shown := ""
	for _, snippet := range goSnippet.FindAllStringSubmatch(section(t, "../../docs/testing.md", "", ""), -1) {
		shown += snippet[1]
	}
	ofTests := []string{"Before", "LetsGoWithin"} // export_test.go
	for method := range reflect.TypeFor[*operatortest.Cluster]().Methods() {
		if !slices.Contains(ofTests, method.Name) && !strings.Contains(shown, "cluster."+method.Name+"(") {
			t.Errorf("the page has no line of %s", method.Name)
		}
	}
	for method := range reflect.TypeFor[*partsSimulation]().Methods() {
		if !strings.Contains(shown, "sim."+method.Name+"(") {
			t.Errorf("the page has no line of %s of a simulation", method.Name)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[partsSimulation]()) {
		if field.IsExported() && !strings.Contains(shown, "sim."+field.Name) {
			t.Errorf("the page has no line of %s of a simulation", field.Name)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[operatortest.Config]()) {
		if !strings.Contains(shown, "config."+field.Name+" =") && !strings.Contains(shown, field.Name+":") {
			t.Errorf("the page has no line of Config.%s", field.Name)
		}
	}
}
