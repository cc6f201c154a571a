package operator_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// recordedRequest is a request that a process made. It may have had its effect at any
// time between its two.
type recordedRequest struct {
	verb       string // the HTTP method
	resource   string // the plural, with its subresource
	name       string // empty of what a create makes
	body       string
	code       int
	begun, end time.Time
}

func (r recordedRequest) String() string {
	return fmt.Sprintf("%s %s %s: %d %s", r.verb, r.resource, r.name, r.code, r.body)
}

// isWrite reports whether a request writes what depends on the parents.
func (r recordedRequest) isWrite() bool {
	if r.verb == http.MethodGet || r.resource == "leases" || r.resource == "events" {
		return false
	}
	return !strings.HasSuffix(r.resource, "reviews")
}

// record is the requests of one process, which reaches the API server through it. It
// leaves out watches and dry runs.
type record struct {
	next http.RoundTripper

	mu       sync.Mutex
	requests []recordedRequest
	dryRuns  int
	lists    int
}

// RoundTrip sends a request to the API server.
func (r *record) RoundTrip(request *http.Request) (*http.Response, error) {
	made := recordedRequest{verb: request.Method, begun: time.Now()}
	made.resource, made.name = resourceOf(request.URL.Path)
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		made.body, request.Body = string(body), io.NopCloser(bytes.NewReader(body))
	}
	answer, err := r.next.RoundTrip(request)
	made.end = time.Now()
	if err == nil {
		made.code = answer.StatusCode
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case request.URL.Query().Has("dryRun"):
		r.dryRuns++
	case made.verb == http.MethodGet && made.name == "":
		r.lists++
	default:
		r.requests = append(r.requests, made)
	}
	return answer, err
}

// totals says what the process has asked beside.
func (r *record) totals() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%d dry runs, %d lists and watches", r.dryRuns, r.lists)
}

// resourceOf reads the path of a request, as in
// /apis/apps/v1/namespaces/shop/deployments/web/status.
func resourceOf(path string) (resource, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	skip := 2 // api, and the version
	if parts[0] == "apis" {
		skip++
	}
	parts = parts[min(skip, len(parts)):]
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) == 0 {
		return "", ""
	}
	resource = parts[0]
	if len(parts) > 1 {
		name = parts[1]
	}
	return strings.Join(append([]string{resource}, parts[min(2, len(parts)):]...), "/"), name
}

// since returns the requests from one on.
func (r *record) since(first int) []recordedRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]recordedRequest{}, r.requests[first:]...)
}

// writes returns the requests from one on that write.
func (r *record) writes(first int) (writes []recordedRequest) {
	for _, request := range r.since(first) {
		if request.isWrite() {
			writes = append(writes, request)
		}
	}
	return writes
}

// leases counts how often the process has looked who leads, and how often it has taken or
// renewed a lease.
func (r *record) leases() (reads, writes int) {
	for _, request := range r.since(0) {
		switch {
		case request.resource != "leases":
		case request.verb == http.MethodGet:
			reads++
		default:
			writes++
		}
	}
	return reads, writes
}

// startRecord starts a way to the API server that records its requests, and returns the
// kubeconfig of a process that takes it.
func startRecord(t *testing.T) (kubeconfig string, made *record) {
	t.Helper()
	kubeconfig = startProxy(t, "", "", func(next http.RoundTripper) http.RoundTripper {
		made = &record{next: next}
		return made
	})
	return kubeconfig, made
}

// startProxy starts a way to the API server, on which requests are those of a user, and returns the kubeconfig of a
// process that takes it. Its context has a namespace.
func startProxy(t *testing.T, user, namespace string, wrap func(http.RoundTripper) http.RoundTripper) (kubeconfig string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = user
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	way := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     wrap(transport),
		FlushInterval: -1, // watches
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(func() {
		way.CloseClientConnections()
		way.Close()
	})
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	file := clientcmdapi.NewConfig()
	file.Clusters["proxy"] = &clientcmdapi.Cluster{Server: way.URL}
	file.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy", Namespace: namespace}
	file.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*file, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}
