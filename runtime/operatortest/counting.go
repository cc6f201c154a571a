package operatortest

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// sent are the requests that the operator's client has sent, in the order of their answers.
type sent struct {
	mu       sync.Mutex
	requests []exchange
	waiting  int // requests that are not answered yet
	events   int // requests that were about Events
}

// exchange is a request, and for a write the object in the API server's answer.
type exchange struct {
	Request
	object  map[string]any
	version string // the resource version of object
}

// since returns the requests after the first n.
func (s *sent) since(n int) []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests[n:])
}

// dropObjects drops the objects of all requests so far, which a long test has no memory for.
func (s *sent) dropObjects() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.requests {
		s.requests[i].object = nil
	}
}

func (s *sent) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// addPending records a request that is sent.
func (s *sent) addPending() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
}

// addAnswered records the answer to a request. Nil: there was none.
func (s *sent) addAnswered(answered *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if answered == nil {
		return
	}
	s.requests = append(s.requests, *answered)
	if answered.Resource == "events" {
		s.events++
	}
}

// pendingAndEvents returns the number of requests without an answer, and of answered requests about Events.
func (s *sent) pendingAndEvents() (waiting, events int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting, s.events
}

// plainRequests returns all requests without their objects.
func (s *sent) plainRequests() []Request {
	var requests []Request
	for _, e := range s.since(0) {
		requests = append(requests, e.Request)
	}
	return requests
}

// counting is a transport that records its requests.
type counting struct {
	next http.RoundTripper
	sent *sent
}

// RoundTrip sends a request and records its answer.
func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	made, counts := parseRequest(request)
	if !counts {
		return c.next.RoundTrip(request)
	}
	c.sent.addPending()
	response, err := c.next.RoundTrip(request)
	if err != nil {
		c.sent.addAnswered(nil)
		return response, err
	}
	made.Code = response.StatusCode
	e := exchange{Request: made}
	if made.Verb != "get" && !made.DryRun {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			c.sent.addAnswered(nil)
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		e.object, e.version = decodeObject(body)
		e.Name = cmp.Or(e.Name, nameOf(e.object)) // a path of what is created does not have it
	}
	c.sent.addAnswered(&e)
	return response, nil
}

func nameOf(object map[string]any) string {
	name, _, _ := unstructured.NestedString(object, "metadata", "name")
	return name
}

// parseRequest reads a request as the API server does. It reports false for a request whose number
// does not depend on the parents.
func parseRequest(request *http.Request) (Request, bool) {
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default: // discovery
		return Request{}, false
	}
	made := Request{DryRun: request.URL.Query().Get("dryRun") != ""}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		made.Namespace, parts = parts[1], parts[2:]
	}
	made.Resource = parts[0]
	if len(parts) > 1 {
		made.Name = parts[1]
	}
	if made.Resource == "namespaces" {
		made.Namespace = made.Name // as the API server has it
	}
	if len(parts) > 2 {
		made.Resource += "/" + strings.Join(parts[2:], "/")
	}
	made.Verb = verbOf(request, made.Name != "")
	return made, made.Verb != "" && !slices.Contains(constant, parts[0])
}

// verbOf returns the API server's verb of a request. It is empty for lists and watches.
func verbOf(request *http.Request, named bool) string {
	switch request.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if !named {
			return "deletecollection"
		}
		return "delete"
	}
	if !named || request.URL.Query().Get("watch") != "" {
		return ""
	}
	return "get"
}

// decodeObject reads an object and its resource version from the body of an answer. It returns nil
// if there is none.
func decodeObject(body []byte) (map[string]any, string) {
	var content map[string]any
	if bytes.HasPrefix(body, []byte("k8s\x00")) {
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return nil, ""
		}
		content, _ = runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	} else if yaml.Unmarshal(body, &content) != nil {
		return nil, ""
	}
	if content["kind"] == "Status" {
		return nil, ""
	}
	version, _, _ := unstructured.NestedString(content, "metadata", "resourceVersion")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, key := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"} {
			delete(metadata, key)
		}
	}
	return content, version
}
