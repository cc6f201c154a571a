package operatortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Request is one request that the operator made.
type Request struct {
	Verb      string // create, patch, delete, get, …
	Resource  string // the plural, with its subresource: pods, echoservers/status
	Namespace string
	Name      string
	Code      int  // the HTTP status of the answer
	DryRun    bool // asked what would happen
}

// String is the request as a message names it: "patch pods web: 200".
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s: %d", r.Verb, r.Resource, r.Name, r.Code)
}

// Requests returns all requests that the operator has made since the test
// began, in the order in which they were answered. It leaves out what costs
// the same however many parents there are: lists and watches, leases, and
// reviews of access. It skips the test where OPGEN_AUDIT_LOG is not set.
func (c *Cluster) Requests() []Request {
	c.t.Helper()
	if c.audit == nil {
		c.t.Skip("OPGEN_AUDIT_LOG is not set: run make test-e2e")
	}
	if err := c.audit.read(); err != nil {
		c.t.Fatal(err)
	}
	return c.audit.requests[c.userAgent()]
}

// Writes returns the requests that write: all but gets and dry runs.
func (c *Cluster) Writes() []Request {
	c.t.Helper()
	return slices.DeleteFunc(slices.Clone(c.Requests()), func(r Request) bool { return r.Verb == "get" || r.DryRun })
}

// Settled waits until the operator makes no more requests, and returns how
// many it had made. An operator that keeps writing fails the test.
func (c *Cluster) Settled() int {
	c.t.Helper()
	const quiet = 2 * time.Second
	made, since := len(c.Requests()), time.Now()
	c.Eventually("the operator makes no more requests", func() error {
		requests := c.Requests()
		if len(requests) != made {
			made, since = len(requests), time.Now()
		}
		if time.Since(since) < quiet {
			return fmt.Errorf("the last of %d was %v", made, requests[max(0, made-1):])
		}
		return nil
	})
	return made
}

// audit reads the API server's audit log as it grows.
type audit struct {
	path     string
	offset   int64
	rest     []byte               // an incomplete last line
	requests map[string][]Request // by user agent
}

// openAudit starts at the end of the log. It returns nil where there is none.
func openAudit(t *testing.T) *audit {
	t.Helper()
	path := os.Getenv("OPGEN_AUDIT_LOG")
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return &audit{path: path, offset: info.Size(), requests: map[string][]Request{}}
}

// read adds what was logged since the last time.
func (a *audit) read() error {
	file, err := os.Open(a.path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < a.offset { // the log was rotated
		a.offset, a.rest = 0, nil
	}
	if _, err := file.Seek(a.offset, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	a.offset += int64(len(data))
	data = append(a.rest, data...)
	end := bytes.LastIndexByte(data, '\n') + 1
	a.rest = bytes.Clone(data[end:])
	return a.parse(data[:end])
}

// event is what matters here of an audit event.
type event struct {
	Stage      string `json:"stage"`
	Verb       string `json:"verb"`
	UserAgent  string `json:"userAgent"`
	RequestURI string `json:"requestURI"`
	ObjectRef  struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func (a *audit) parse(lines []byte) error {
	for line := range bytes.Lines(lines) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s: %w", a.path, err)
		}
		if e.Stage != "ResponseComplete" || slices.Contains([]string{"list", "watch"}, e.Verb) || slices.Contains(constant, e.ObjectRef.Resource) {
			continue
		}
		resource := e.ObjectRef.Resource
		if e.ObjectRef.Subresource != "" {
			resource += "/" + e.ObjectRef.Subresource
		}
		a.requests[e.UserAgent] = append(a.requests[e.UserAgent], Request{
			Verb: e.Verb, Resource: resource, Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
			Code: e.ResponseStatus.Code, DryRun: strings.Contains(e.RequestURI, "dryRun=All"),
		})
	}
	return nil
}

// constant are the resources whose requests do not depend on the parents.
var constant = []string{"", "leases", "tokenreviews", "subjectaccessreviews"}
