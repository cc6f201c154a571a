package requests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Transport is a transport that records its requests, and what they have written.
type Transport struct {
	Next    http.RoundTripper
	Sent    *Log
	Written *Written
}

// RoundTrip sends a request and records its answer, and which permissions it has needed.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	use := readUse(request)
	if made, counts := Parse(request); counts {
		return t.exchange(request, made, use)
	}
	response, err := t.Next.RoundTrip(request)
	if err == nil && use.Resource != "" {
		t.Sent.addUse(use, response.StatusCode, isUnauthorized(response), nil)
	}
	return response, err
}

// exchange is RoundTrip for a request that counts.
func (t *Transport) exchange(request *http.Request, made Request, use Use) (*http.Response, error) {
	t.Sent.addPending()
	orphans := changesOwners(request)
	response, err := t.Next.RoundTrip(request)
	if err != nil {
		if made.writes() {
			t.Written.record(use, nil)
		}
		t.Sent.addAnswered(nil)
		return response, err
	}
	made.Code = response.StatusCode
	e := Exchange{Request: made}
	if made.writes() {
		body, err := io.ReadAll(response.Body)
		if response.StatusCode < http.StatusBadRequest {
			t.Written.record(use, body)
		}
		if err != nil {
			t.Sent.addAnswered(nil)
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		e.Object, e.Version = decodeObject(body)
		e.Name = cmp.Or(e.Name, nameOf(e.Object)) // a path of what is created does not have it
	}
	t.Sent.addUse(use, response.StatusCode, isUnauthorized(response), e.Object)
	if orphans && response.StatusCode < http.StatusBadRequest {
		use.Verb = "delete" // only who may delete an object may change its owners
		t.Sent.addUse(use, response.StatusCode, false, nil)
	}
	t.Sent.addAnswered(&e)
	return response, nil
}

func nameOf(object map[string]any) string {
	name, _, _ := unstructured.NestedString(object, "metadata", "name")
	return name
}

// Parse reads a request as the API server does. It reports false for a request whose number
// does not depend on the parents.
func Parse(request *http.Request) (Request, bool) {
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
	} else if json.Unmarshal(body, &content) != nil {
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

// Read reads a request as the API server does, including lists and watches. Its resource is
// empty for discovery.
func Read(request *http.Request) Request {
	made, _ := Parse(request)
	if made.Resource == "" || made.Verb != "" {
		return made
	}
	made.Verb = "list"
	if request.URL.Query().Get("watch") != "" {
		made.Verb = "watch"
	}
	return made
}
