package instance

import (
	"net/http"
	"os"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// server is what the tests of one process have in common of an API server: none of them has to find out again what
// another one knows.
type server struct {
	config *rest.Config
	mapper meta.RESTMapper
	audit  *requests.Audit // nil: there is no log

	mu        sync.Mutex
	installed map[string]*installed // CRDs by name
}

// opened are the API servers of this process, by the file that names each.
var opened struct {
	sync.Mutex
	servers map[string]*server
}

// openServer returns the API server of a kubeconfig.
func openServer(kubeconfig string) (*server, error) {
	opened.Lock()
	defer opened.Unlock()
	if known, ok := opened.servers[kubeconfig]; ok {
		return known, nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, client)
	if err != nil {
		return nil, err
	}
	s := &server{config: config, mapper: mapper, installed: map[string]*installed{}}
	if path := os.Getenv("OPGEN_AUDIT_LOG"); path != "" {
		if s.audit, err = requests.OpenAudit(path); err != nil {
			return nil, err
		}
	}
	if opened.servers == nil {
		opened.servers = map[string]*server{}
	}
	opened.servers[kubeconfig] = s
	return s, nil
}

// testConfig returns the configuration of a client of the test, whose writes the operator is to see.
func (o *Operator) testConfig() *rest.Config {
	config := rest.CopyConfig(o.Server)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &requests.Recorder{Next: next, Written: &o.Written, Wrote: o.noteWrite}
	})
	return config
}

// noteWrite is called with each object that the test writes.
func (o *Operator) noteWrite(resource schema.GroupResource, name string) {
	if resource.Resource == "customresourcedefinitions" {
		o.server.forgetCRD(name)
	}
}

// followAudit has the audit log tell of the operator's requests.
func (o *Operator) followAudit() {
	o.T.Helper()
	if o.server.audit == nil {
		return
	}
	audited, err := o.server.audit.Follow(o.userAgent())
	if err != nil {
		o.T.Fatalf("read the audit log: %v", err)
	}
	o.audit = audited
	o.T.Cleanup(audited.Close)
}
