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
)

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
