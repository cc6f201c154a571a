package instance

import (
	"cmp"
	"context"
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
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/fault"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// Config has the fields of operatortest.Config, which says what they mean.
type Config struct {
	Controllers func(operator.Manager) ([]operator.Controller, error)
	CRDs        []string
	Webhooks    []string
	Schemes     runtime.SchemeBuilder
	Roles       string
	User        string
	LacksRights bool
	Now         time.Time
	Transport   func(http.RoundTripper) http.RoundTripper
	Faults      []fault.Fault
	Impure      bool
	Kubelet     func(*corev1.Pod, time.Time)
	Options     func(*operator.Options)
}

// Operator is the operator of a test, in its own namespace: one process after the other, the
// clock that they share, and what goes over their connections. Its methods fail the test if the API
// server refuses a request.
type Operator struct {
	T      *testing.T
	Config Config
	// Client reads and writes directly, without a cache, and is not counted among the operator's
	// requests.
	Client    client.Client
	Server    *rest.Config
	Namespace string
	Clock     testcontrol.Clock
	Sent      requests.Log
	Faults    fault.Plan
	// Webhooks is where the operator serves its webhooks, if the test asks for it.
	Webhooks Webhooks
	// Created are the objects that the test has created, which go with it.
	Created []client.Object
	// FinalizeLimit is how long Finalize may take at the end of the test.
	FinalizeLimit time.Duration
	// ToConverge is the number of requests until the test has found its parents converged for the
	// first time, or 0.
	ToConverge int

	// Recorded is called with the record of each reconcile, if set.
	Recorded func(testcontrol.Record)
	// Author changes the desired state after Sync, if set.
	Author testcontrol.Author
	// Shown is called with each snapshot that Sync gets, if set.
	Shown func(testcontrol.Snapshot)
	// BeforeStop is called at the end of the test once nothing that it has created is left, and
	// before the operator stops.
	BeforeStop func()
	// Ending is in place of the context of the test once that has ended.
	Ending context.Context

	// Written is what the operator and the test have written.
	Written requests.Written

	server *server
	output *output
	audit  *requests.Audited // nil: there is no log
	rights []client.Object   // of the operator, which needs them until the end

	follow   sync.Once // at the first Advance
	unfollow func()    // nil: nothing follows the clock
	changes  changes
	viewing  sync.Mutex
	views    map[*testcontrol.Watch]*view // what each watch is known to show

	mu      sync.Mutex
	running *process            // nil while the operator is stopped
	stopped []*testcontrol.Loop // of the operator that ran before
	crashed []*process          // these may not have ended yet
}

// New prepares an operator: its namespace, its CRDs and its permissions. It skips the test if
// OPGEN_TEST_KUBECONFIG is not set.
func New(t *testing.T, config Config) *Operator {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test-e2e")
	}
	if _, err := parsePatience(os.Getenv(patienceVariable)); err != nil {
		t.Fatal(err)
	}
	silence()
	server, err := openServer(path)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	schemes := append(runtime.SchemeBuilder{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme}, config.Schemes...)
	if err := schemes.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	o := &Operator{T: t, Config: config, Server: server.config, FinalizeLimit: SettleLimit(), server: server, output: outputOf(t)}
	if o.Client, err = client.New(o.testConfig(), client.Options{Scheme: scheme, Mapper: server.mapper}); err != nil {
		t.Fatal(err)
	}
	o.Sent.Changed = o.changes.note
	if !config.Now.IsZero() {
		o.Clock.Advance(time.Until(config.Now))
	}
	if len(config.Webhooks) > 0 {
		o.prepareWebhooks()
	}
	o.installCRDs(config.CRDs)
	o.createNamespace()
	o.followAudit()
	if config.Roles != "" {
		o.Config.User = cmp.Or(config.User, o.Namespace)
		o.grantRoles(config.Roles)
	}
	if o.Config.User != "" {
		o.awaitOwners(config.CRDs)
	}
	return o
}

// Run runs the operator until the test ends, and then deletes the objects of the test.
func (o *Operator) Run() {
	o.T.Helper()
	o.T.Cleanup(o.reportFaults)
	o.Inject(o.Config.Faults...)
	o.startKubelet()
	o.Start()
	o.T.Cleanup(o.cleanUp)
}

// silence discards the log of controller-runtime outside of managers, which can be set once per
// process.
var silence = sync.OnceFunc(func() { log.SetLogger(logr.Discard()) })

// NamespacePrefix begins the names of the namespaces of tests.
const NamespacePrefix = "operatortest-"

// createNamespace creates the namespace of the test, after which its requests are named.
func (o *Operator) createNamespace() {
	o.T.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: NamespacePrefix}}
	if err := o.Client.Create(o.T.Context(), namespace); err != nil {
		o.T.Fatalf("make a namespace: %v", err)
	}
	o.Namespace = namespace.Name
}

// userAgent returns the user agent of this operator's requests.
func (o *Operator) userAgent() string { return fmt.Sprintf("operatortest (%s)", o.Namespace) }
