package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// Audit reads the API server's audit log as it grows.
type Audit struct {
	path     string
	file     *os.File
	midLine  bool                    // the next text begins within a line
	rest     []byte                  // an incomplete last line
	Requests map[string][]Request    // by user agent
	Uses     map[string]map[Use]bool // permissions that requests have needed, by user agent
	Refused  map[string][]Use        // permissions that requests lacked, by user agent
}

// OpenAudit opens the log at its end. It returns nil if there is none.
func OpenAudit(t *testing.T) *Audit {
	t.Helper()
	path := os.Getenv("OPGEN_AUDIT_LOG")
	if path == "" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a := &Audit{path: path, file: file, Requests: map[string][]Request{}, Uses: map[string]map[Use]bool{}, Refused: map[string][]Use{}}
	t.Cleanup(func() { a.file.Close() })
	if err := a.skipToEnd(); err != nil {
		t.Fatal(err)
	}
	return a
}

// skipToEnd goes to the end of the log, where the API server may be writing a line.
func (a *Audit) skipToEnd() error {
	end, err := a.file.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return err
	}
	last := make([]byte, 1)
	_, err = a.file.ReadAt(last, end-1)
	a.midLine = last[0] != '\n'
	return err
}

// ReadNew adds the new lines of the log. The API server rotates the log by renaming it, so that
// readNew reads the open file to its end before the new one.
func (a *Audit) ReadNew() error {
	for {
		now, err := os.Stat(a.path)
		if errors.Is(err, os.ErrNotExist) {
			return a.readRest() // it is being rotated
		}
		if err != nil {
			return err
		}
		open, err := a.file.Stat()
		if err != nil {
			return err
		}
		if err := a.readRest(); err != nil || os.SameFile(now, open) {
			return err
		}
		next, err := os.Open(a.path)
		if err != nil {
			return err
		}
		a.file.Close()
		a.file, a.rest = next, nil
	}
}

// readRest adds the rest of the open file.
func (a *Audit) readRest() error {
	data, err := io.ReadAll(a.file)
	if err != nil {
		return err
	}
	data = append(a.rest, data...)
	end := bytes.LastIndexByte(data, '\n') + 1
	a.rest = bytes.Clone(data[end:])
	lines := data[:end]
	if a.midLine && end > 0 {
		_, lines, _ = bytes.Cut(lines, []byte("\n"))
		a.midLine = false
	}
	return a.addWritesAndGets(lines)
}

// event has the relevant fields of an audit event.
type event struct {
	Stage      string `json:"stage"`
	Verb       string `json:"verb"`
	UserAgent  string `json:"userAgent"`
	RequestURI string `json:"requestURI"`
	ObjectRef  struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Annotations map[string]string `json:"annotations"`
}

// addWritesAndGets adds the requests in lines of the audit log that have ended, but for lists, watches
// and those of resources that every operator asks for all the time.
func (a *Audit) addWritesAndGets(lines []byte) error {
	for line := range bytes.Lines(lines) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s: %w", a.path, err)
		}
		a.addUse(e)
		if e.Stage != "ResponseComplete" || slices.Contains([]string{"list", "watch"}, e.Verb) || slices.Contains(constant, e.ObjectRef.Resource) {
			continue
		}
		a.Requests[e.UserAgent] = append(a.Requests[e.UserAgent], Request{
			Verb: e.Verb, Resource: e.resource(), Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
			Code: e.ResponseStatus.Code, DryRun: strings.Contains(e.RequestURI, "dryRun=All"),
		})
	}
	return nil
}

// resource returns the plural with its subresource.
func (e event) resource() string {
	if e.ObjectRef.Subresource == "" {
		return e.ObjectRef.Resource
	}
	return e.ObjectRef.Resource + "/" + e.ObjectRef.Subresource
}

// addUse adds the permissions that a request has needed and had, when it was answered, or when a watch began.
func (a *Audit) addUse(e event) {
	if e.ObjectRef.Resource == "" || e.ResponseStatus.Code == http.StatusForbidden && e.Annotations[decision] != "forbid" {
		return
	}
	uses := a.Uses[e.UserAgent]
	if uses == nil {
		uses = map[Use]bool{}
		a.Uses[e.UserAgent] = uses
	}
	use := Use{Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: e.resource(), Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name}
	if e.Annotations[decision] == "forbid" {
		if !slices.Contains(a.Refused[e.UserAgent], use) {
			a.Refused[e.UserAgent] = append(a.Refused[e.UserAgent], use)
		}
		return
	}
	for _, used := range append(impliedUses(use, e.ResponseStatus.Code, nil), use) {
		uses[used] = true
	}
}

// decision is the annotation with what RBAC has said of a request: allow or forbid.
const decision = "authorization.k8s.io/decision"

// constant are the resources whose requests do not depend on the parents.
var constant = []string{"", "leases", "tokenreviews", "subjectaccessreviews"}
