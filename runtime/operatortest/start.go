package operatortest

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operator"
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
	// Schemes registers types that the test uses, in addition to those of client-go.
	Schemes runtime.SchemeBuilder
	// Roles, if set, is a file of roles as opgen generates it. The operator has the permissions
	// of its ClusterRoles everywhere, those of its own Roles in the test's namespace, those of the
	// Roles in other namespaces there, and no others.
	Roles string
	// User, if set, is the user that the operator impersonates, so that a test sees what a role
	// allows. By default it has the permissions of OPGEN_TEST_KUBECONFIG.
	User string
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
	// Options changes the operator's options, which are operator.Defaults with the test's
	// namespace.
	Options func(*operator.Options)

	author testcontrol.Author         // changes the desired state after Sync, if set
	shown  func(testcontrol.Snapshot) // is called with each snapshot that Sync gets, if set
}

// Start runs an operator until the test ends, in a namespace of its own. It skips the test if
// OPGEN_TEST_KUBECONFIG is not set.
func Start(t *testing.T, config Config) *Cluster {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test-e2e")
	}
	silence()
	server, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	server.QPS = -1
	scheme := runtime.NewScheme()
	schemes := append(runtime.SchemeBuilder{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme}, config.Schemes...)
	if err := schemes.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	direct, err := client.New(server, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Client: direct, t: t, config: config, server: server, sent: new(sent), clock: new(testcontrol.Clock), faults: new(faultPlan), letsGo: patience}
	if !config.Now.IsZero() {
		c.clock.Advance(time.Until(config.Now))
	}
	c.history.now = c.clock.Now
	c.audit = openAudit(t)
	installCRDs(c, config.CRDs)
	c.makeNamespace()
	if config.Roles != "" {
		c.config.User = cmp.Or(config.User, c.Namespace)
		c.grantRoles(config.Roles)
	}
	t.Cleanup(c.reportFaults)
	c.Inject(config.Faults...)
	startOperator(c)
	t.Cleanup(func() { cleanUp(c) })
	t.Cleanup(func() { endTruthful(c) }) // runs before cleanUp
	return c
}

// silence discards the log of controller-runtime outside of managers, which can be set once per
// process.
var silence = sync.OnceFunc(func() { log.SetLogger(logr.Discard()) })

const namespacePrefix = "operatortest-"

// makeNamespace creates the namespace of the test, after which its requests are named.
func (c *Cluster) makeNamespace() {
	c.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix}}
	if err := c.Client.Create(c.t.Context(), namespace); err != nil {
		c.t.Fatalf("make a namespace: %v", err)
	}
	c.Namespace = namespace.Name
}

// userAgent returns the user agent of this operator's requests.
func userAgent(c *Cluster) string { return fmt.Sprintf("operatortest (%s)", c.Namespace) }
