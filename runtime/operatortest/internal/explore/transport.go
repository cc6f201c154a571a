package explore

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// interposer is a transport that calls functions between the operator's read and its write, or
// between its write and the answer.
type interposer struct {
	mu     sync.Mutex
	before map[string]func() // the operator writes the object of this path
	after  map[string]func() // it has created it
}

func newInterposer() *interposer {
	return &interposer{before: map[string]func(){}, after: map[string]func(){}}
}

// beforeWrite calls do once, before the operator's next write of an object.
func (i *interposer) beforeWrite(path string, do func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.before[path] = do
}

// afterCreate calls do once, after the operator has created an object and before it has the answer.
func (i *interposer) afterCreate(path string, do func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.after[path] = do
}

// wasMissed reports whether the functions for a path were not called, and removes them.
func (i *interposer) wasMissed(path string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, before := i.before[path]
	_, after := i.after[path]
	delete(i.before, path)
	delete(i.after, path)
	return before || after
}

// wrapTransport returns a transport that wraps another one.
func (i *interposer) wrapTransport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodGet || request.URL.Query().Has("dryRun") {
			return next.RoundTrip(request)
		}
		if do := i.takeCallback(i.before, func(path string) bool { return isWrite(request.URL.Path, path) }); do != nil {
			do()
		}
		body, err := bodyOf(request)
		if err != nil {
			return nil, err
		}
		answer, err := next.RoundTrip(request)
		if err != nil || answer.StatusCode != http.StatusCreated {
			return answer, err
		}
		if do := i.takeCallback(i.after, func(path string) bool { return isCreate(request, body, path) }); do != nil {
			do()
		}
		return answer, nil
	})
}

func (i *interposer) takeCallback(from map[string]func(), is func(path string) bool) func() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for path, do := range from {
		if is(path) {
			delete(from, path)
			return do
		}
	}
	return nil
}

// isWrite reports whether a request to a path writes the object of another path, or evicts it.
func isWrite(requested, path string) bool { return requested == path || requested == path+"/eviction" }

// isCreate reports whether a request creates the object of a path.
func isCreate(request *http.Request, body []byte, path string) bool {
	if request.URL.Path == path {
		return true
	}
	collection, name := path[:strings.LastIndex(path, "/")], path[strings.LastIndex(path, "/")+1:]
	return request.Method == http.MethodPost && request.URL.Path == collection && readName(body) == name
}

// readName returns the name of the object in the body of a request, in JSON or in Kubernetes' protobuf;
// empty: there is none.
func readName(body []byte) string {
	var object metav1.PartialObjectMetadata
	if bytes.HasPrefix(body, protobufPrefix) {
		var envelope runtime.Unknown
		if envelope.Unmarshal(body[len(protobufPrefix):]) != nil || object.Unmarshal(envelope.Raw) != nil {
			return ""
		}
	} else if json.Unmarshal(body, &object) != nil {
		return ""
	}
	return object.Name
}

// protobufPrefix begins each object that is encoded as Kubernetes' protobuf.
var protobufPrefix = []byte("k8s\x00")

func bodyOf(request *http.Request) ([]byte, error) {
	if request.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
