package operatortest

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/admission"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/truth"
)

// Config says how [Start] runs an operator.
type Config struct {
	// Controllers are the operator's, as its main function passes them to
	// operator.Main.
	Controllers func(operator.Manager) ([]operator.Controller, error)
	// CRDs are files or directories of CRDs to install. They stay installed, because other tests
	// may use them. A CRD with the annotation opgen.dev/stand-in: "true" is installed only if
	// there is none without it.
	CRDs []string
	// Webhooks are files or directories with webhook configurations, such as
	// ../../deploy/zz_generated.manager.yaml. While the test runs, the API server, which has to run
	// on this machine, asks the operator for what they configure, for namespaced objects in the
	// test's namespace. Options registers the webhooks, by operator.Setup. Without Webhooks, the
	// operator serves none.
	Webhooks []string
	// Schemes registers types that the test uses, in addition to those of client-go.
	Schemes runtime.SchemeBuilder
	// Roles, if set, is a file of roles as opgen generates it. The operator has the permissions
	// of its ClusterRoles everywhere, those of its own Roles in the test's namespace, those of the
	// Roles in other namespaces there, and no others. A request that they do not allow fails the
	// test.
	Roles string
	// User, if set, is the user that the operator impersonates, so that a test sees what a role
	// allows. By default it has the permissions of OPGEN_TEST_KUBECONFIG.
	User string
	// LacksRights says that Roles do not allow all that the operator requests, which the test is
	// about.
	LacksRights bool
	// Now is the time of the operator's clock at the start, which requests, schedules and retries
	// use. The clock goes on from there; see [Cluster.Advance]. By default it is the real time.
	Now time.Time
	// Transport, if set, wraps the transport of the operator's client, so that a test can see,
	// delay and answer requests to the API server.
	Transport func(http.RoundTripper) http.RoundTripper
	// Faults are injected from the operator's first request on; see [Cluster.Inject].
	Faults []Fault
	// Impure says that two calls of Sync with one request may have different results, because it
	// reads the time, writes, or calls other services. [Cluster.Truthful] and
	// [Cluster.Converged] then do not call it twice. All other checks stay.
	Impure bool
	// Kubelet, if set, writes the status of each Pod in the test's namespace, once, as it appears:
	// a function of package kubelet. With kubelet.PlayPod, Pods run, Jobs succeed and workloads
	// get ready. kubelet.WithoutImages is the same with images that nobody can pull. MakeReady,
	// MakeFailed and MakeCrashing can still change a Pod. By default a Pod runs only by these.
	Kubelet func(pod *corev1.Pod, now time.Time)
	// Options changes the operator's options, which are operator.Defaults with the test's
	// namespace, and no port for webhooks.
	Options func(*operator.Options)
}

// Start runs an operator until the test ends, in its own namespace. It skips the test if
// OPGEN_TEST_KUBECONFIG is not set.
func Start(t *testing.T, config Config) *Cluster {
	t.Helper()
	checker := truth.New(t, instance.Config(config))
	checker.Run()
	fixtures := &admission.Fixtures{Operator: checker.Operator}
	if len(config.Webhooks) > 0 {
		fixtures.ServeProject(config.Webhooks)
	}
	return &Cluster{
		Client: checker.Client, Namespace: checker.Namespace, t: t,
		operator: checker.Operator, checker: checker, admission: fixtures,
	}
}
