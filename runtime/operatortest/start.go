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
	// CRDs are files or directories of CRDs to install. They stay installed:
	// other tests may be using them. One with the annotation opgen.dev/stand-in:
	// "true" is installed only where there is none without it.
	CRDs []string
	// Schemes registers the types that the test itself uses, besides those of
	// client-go.
	Schemes runtime.SchemeBuilder
	// Roles, if set, is a file of roles, as opgen generates it: the operator has
	// the rights of its ClusterRoles everywhere, those of its Roles in the test's
	// namespace, and no others.
	Roles string
	// User, if set, is whom the operator impersonates, so that a test sees what
	// a role allows. By default it has the rights of OPGEN_TEST_KUBECONFIG.
	User string
	// Now is what the operator's clock shows at the start: the time of requests,
	// schedules and retries. It goes on from there; see [Cluster.Advance]. By
	// default it is the time.
	Now time.Time
	// Transport, if set, wraps the transport of the operator's client, so that a
	// test sees the requests to the API server, delays them or answers in its place.
	Transport func(http.RoundTripper) http.RoundTripper
	// Faults go wrong from the operator's first request on; see [Cluster.Inject].
	Faults []Fault
	// Impure says that Sync does not answer the same when it is called twice with one
	// request, since it reads the time, or writes, or talks to something else: then
	// [Cluster.Truthful] and [Cluster.Converged] do not call it twice. Everything else
	// is checked as it is of others.
	Impure bool
	// Options changes how the operator runs; it starts from operator.Defaults
	// and is limited to the test's namespace.
	Options func(*operator.Options)

	author testcontrol.Author // stands between Sync and what is desired, if set
}

// Start runs an operator until the test ends, in a namespace of its own. It
// skips the test where OPGEN_TEST_KUBECONFIG is not set.
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
	c.installCRDs(config.CRDs)
	c.makeNamespace()
	if config.Roles != "" {
		c.config.User = cmp.Or(config.User, c.Namespace)
		c.grant(config.Roles)
	}
	t.Cleanup(c.reportFaults)
	c.Inject(config.Faults...)
	c.startOperator()
	t.Cleanup(c.cleanUp)
	t.Cleanup(c.endTruthful) // before that
	return c
}

// silence discards what controller-runtime logs outside of any manager; it may
// be told so once per process.
var silence = sync.OnceFunc(func() { log.SetLogger(logr.Discard()) })

const namespacePrefix = "operatortest-"

// makeNamespace makes the namespace that gives this test and its requests
// their name.
func (c *Cluster) makeNamespace() {
	c.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix}}
	if err := c.Client.Create(c.t.Context(), namespace); err != nil {
		c.t.Fatalf("make a namespace: %v", err)
	}
	c.Namespace = namespace.Name
}

// userAgent tells this operator's requests from all others.
func (c *Cluster) userAgent() string { return fmt.Sprintf("operatortest (%s)", c.Namespace) }
