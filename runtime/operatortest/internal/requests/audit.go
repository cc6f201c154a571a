package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
)

// Audit reads the API server's audit log as it grows: each line once, for all operators of a process.
type Audit struct {
	path string

	mu       sync.Mutex
	file     *os.File
	midLine  bool                // the next text begins within a line
	rest     []byte              // an incomplete last line
	followed map[string]*Audited // by user agent
}

// Audited is what the audit log says of the requests of one user agent.
type Audited struct {
	log      *Audit
	agent    string
	requests []Request
	uses     map[Use]bool // permissions that requests have needed
	refused  []Use        // permissions that requests lacked
}

// OpenAudit opens a log.
func OpenAudit(path string) (*Audit, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Audit{path: path, file: file, followed: map[string]*Audited{}}, nil
}

// Follow returns what the log will say of a user agent from now on.
func (a *Audit) Follow(agent string) (*Audited, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.followed) == 0 {
		if err := a.skipToEnd(); err != nil {
			return nil, err
		}
	}
	audited := &Audited{log: a, agent: agent, uses: map[Use]bool{}}
	a.followed[agent] = audited
	return audited, nil
}

// Close ends what Follow has begun.
func (a *Audited) Close() {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	delete(a.log.followed, a.agent)
}

// ReadNew reads the new lines of the log.
func (a *Audited) ReadNew() error {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return a.log.readNew()
}

// Requests returns the requests that write or get, in the order of their answers.
func (a *Audited) Requests() []Request {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return a.requests[:len(a.requests):len(a.requests)]
}

// Uses returns the permissions that requests have needed.
func (a *Audited) Uses() map[Use]bool {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return maps.Clone(a.uses)
}

// Refused returns the permissions that requests lacked, each once.
func (a *Audited) Refused() []Use {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	return slices.Clone(a.refused)
}

// skipToEnd goes to the end of the newest log, where the API server may be writing a line.
func (a *Audit) skipToEnd() error {
	newest, err := os.Open(a.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it is being rotated
		return err
	}
	if err == nil {
		a.file.Close()
		a.file = newest
	}
	a.rest, a.midLine = nil, false
	end, err := a.file.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return err
	}
	last := make([]byte, 1)
	_, err = a.file.ReadAt(last, end-1)
	a.midLine = last[0] != '\n'
	return err
}

// readNew adds the new lines of the log. The API server rotates the log by renaming it, so that
// readNew reads the open file to its end before the new one.
func (a *Audit) readNew() error {
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
	for line := range bytes.Lines(lines) {
		if audited := a.followed[agentOf(line)]; audited != nil {
			if err := audited.addLine(line); err != nil {
				return fmt.Errorf("%s: %w", a.path, err)
			}
		}
	}
	return nil
}

// agentOf returns the user agent in a line of the log, most of which are about others.
func agentOf(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte(`"userAgent":"`))
	agent, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(agent)
}

// event has the relevant fields of an audit event.
type event struct {
	Stage      string `json:"stage"`
	Verb       string `json:"verb"`
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

// addLine adds the request of a line: the permission that it has needed and, once it has ended, the request, but for lists,
// watches and those of resources that every operator asks for all the time.
func (a *Audited) addLine(line []byte) error {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	a.addUse(e)
	if e.Stage != "ResponseComplete" || slices.Contains([]string{"list", "watch"}, e.Verb) || slices.Contains(constant, e.ObjectRef.Resource) {
		return nil
	}
	a.requests = append(a.requests, Request{
		Verb: e.Verb, Resource: e.resource(), Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		Code: e.ResponseStatus.Code, DryRun: strings.Contains(e.RequestURI, "dryRun=All"),
	})
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
func (a *Audited) addUse(e event) {
	if e.ObjectRef.Resource == "" || e.ResponseStatus.Code == http.StatusForbidden && e.Annotations[decision] != "forbid" {
		return
	}
	use := Use{Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: e.resource(), Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name}
	if e.Annotations[decision] == "forbid" {
		if !slices.Contains(a.refused, use) {
			a.refused = append(a.refused, use)
		}
		return
	}
	for _, used := range append(impliedUses(use, e.ResponseStatus.Code, nil), use) {
		a.uses[used] = true
	}
}

// decision is the annotation with what RBAC has said of a request: allow or forbid.
const decision = "authorization.k8s.io/decision"

// constant are the resources whose requests do not depend on the parents.
var constant = []string{"", "leases", "tokenreviews", "subjectaccessreviews"}
