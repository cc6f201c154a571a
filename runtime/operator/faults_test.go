package operator_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fault is what goes wrong with one write of an operator.
type fault string

// Whatever it is, what happens in the cluster is seen late for a while.
const (
	late      fault = "late"      // nothing else is wrong
	fails     fault = "fails"     // the API server answers that it cannot
	conflicts fault = "conflicts" // somebody else was faster, it says
	lost      fault = "lost"      // it is done, and the answer does not arrive
	cut       fault = "cut"       // it is done, and every watch breaks off
	crash     fault = "crash"     // it is done, and the operator is no more
	travel    fault = "travel"    // so, and the next one meets an API server that lags behind
)

// faults carries the requests of an operator, and lets the nth write go wrong.
type faults struct {
	next http.RoundTripper
	what fault
	nth  int

	crashed chan struct{} // closed when the operator is to be no more
	past    string        // the resource version that lists are of; empty: the newest

	mu      sync.Mutex
	writes  int
	dead    bool
	silent  time.Time // watches are, until then; those of children for longer
	watches []io.Closer
}

var errLine = errors.New("the connection was reset")

const lag = 300 * time.Millisecond

func (f *faults) RoundTrip(request *http.Request) (*http.Response, error) {
	if f.isDead() {
		return nil, errLine
	}
	query := request.URL.Query()
	switch {
	case request.Method == http.MethodGet && query.Has("watch"):
		return f.watch(request)
	case request.Method == http.MethodGet && f.past != "" && query.Get("resourceVersion") == "0":
		query.Set("resourceVersion", f.past)
		query.Set("resourceVersionMatch", "Exact")
		request = request.Clone(request.Context())
		request.URL.RawQuery = query.Encode()
		return f.next.RoundTrip(request)
	case request.Method == http.MethodGet || query.Has("dryRun") || aside(request.URL.Path) || !f.due():
		return f.next.RoundTrip(request)
	}
	return f.strike(request)
}

// aside tells whether a write says nothing about parents and children.
func aside(path string) bool {
	return strings.HasPrefix(path, "/apis/events.k8s.io/") || strings.HasPrefix(path, "/apis/coordination.k8s.io/") || strings.HasPrefix(path, "/apis/authorization.k8s.io/")
}

func (f *faults) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

func (f *faults) due() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	return f.writes == f.nth
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

func (f *faults) strike(request *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.silent = time.Now().Add(lag)
	f.mu.Unlock()
	switch f.what {
	case fails:
		return answer(request, http.StatusInternalServerError, "InternalError"), nil
	case conflicts:
		return answer(request, http.StatusConflict, "Conflict"), nil
	case late:
		return f.next.RoundTrip(request)
	}
	response, err := f.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if f.what == cut {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, watch := range f.watches {
			_ = watch.Close()
		}
		return response, nil
	}
	_ = response.Body.Close()
	if f.what != lost {
		f.mu.Lock()
		f.dead = true
		f.mu.Unlock()
		close(f.crashed)
	}
	return nil, errLine
}

// answer is one of the API server's own, in its place.
func answer(request *http.Request, code int, reason string) *http.Response {
	if request.Body != nil {
		_ = request.Body.Close()
	}
	body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + reason + `","message":"by a fault","code":` + strconv.Itoa(code) + `}`
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// watch begins with a list of its own only where there is no past to list.
func (f *faults) watch(request *http.Request) (*http.Response, error) {
	if f.past != "" && request.URL.Query().Has("sendInitialEvents") {
		return answer(request, http.StatusUnprocessableEntity, "Invalid"), nil
	}
	response, err := f.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches = append(f.watches, response.Body)
	response.Body = &gate{response.Body, f, strings.HasSuffix(request.URL.Path, "/sites")}
	return response, nil
}

// gate is the body of a watch.
type gate struct {
	io.ReadCloser
	faults  *faults
	parents bool
}

func (g *gate) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.faults.mu.Lock()
	silent := g.faults.silent
	g.faults.mu.Unlock()
	if !g.parents {
		silent = silent.Add(lag)
	}
	time.Sleep(time.Until(silent))
	return n, err
}
