package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// request is one request that a contender has made.
type request struct {
	Verb     string
	Resource string // the plural, with its subresource: echoservers/status
	Name     string
	Code     int // the HTTP status of the answer
	At       time.Time
}

// audit reads the API server's audit log as it grows, and keeps the requests of one user agent.
type audit struct {
	path      string
	userAgent string // its first word, without a version
	file      *os.File
	reader    *bufio.Reader
	half      string    // an incomplete last line
	requests  []request // all but lists and watches, and what costs the same however many parents there are
	lists     int       // lists and watches
}

func openAudit(path, userAgent string) (*audit, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekEnd); err != nil {
		return nil, err
	}
	return &audit{path: path, userAgent: userAgent, file: file, reader: bufio.NewReaderSize(file, 1<<20)}, nil
}

func (a *audit) close() { a.file.Close() }

// read takes in what was logged since the last time. The log is rotated by renaming it, so that the open file is read
// to its end first.
func (a *audit) read() error {
	for {
		if err := a.drain(); err != nil {
			return err
		}
		rotated, err := a.rotated()
		if err != nil || !rotated {
			return err
		}
		if err := a.drain(); err != nil { // what was written between the two
			return err
		}
		next, err := os.Open(a.path)
		if err != nil {
			return err
		}
		a.file.Close()
		a.file, a.half = next, ""
		a.reader.Reset(next)
	}
}

func (a *audit) rotated() (bool, error) {
	now, err := os.Stat(a.path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // just being rotated
	}
	if err != nil {
		return false, err
	}
	open, err := a.file.Stat()
	return err == nil && !os.SameFile(now, open), err
}

func (a *audit) drain() error {
	for {
		line, err := a.reader.ReadString('\n')
		if errors.Is(err, io.EOF) {
			a.half += line
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.take(a.half + line); err != nil {
			return err
		}
		a.half = ""
	}
}

// event is what matters here of an audit event.
type event struct {
	Verb      string
	UserAgent string
	ObjectRef struct{ Resource, Subresource, Name string }
	Status    struct {
		Code int
	} `json:"responseStatus"`
	At time.Time `json:"stageTimestamp"`
}

// constant are the resources whose requests do not depend on the parents.
var constant = []string{"", "leases", "tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews"}

func (a *audit) take(line string) error {
	if !strings.Contains(line, `"userAgent":"`+a.userAgent) {
		return nil // most lines; decoding them would cost the contenders processor time
	}
	var e event
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		return fmt.Errorf("%s: %w", a.path, err)
	}
	agent, _, _ := strings.Cut(e.UserAgent, " ")
	agent, _, _ = strings.Cut(agent, "/")
	switch {
	case agent != a.userAgent || slices.Contains(constant, e.ObjectRef.Resource):
		return nil
	case e.Verb == "list" || e.Verb == "watch":
		a.lists++
		return nil
	}
	resource := e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		resource += "/" + e.ObjectRef.Subresource
	}
	a.requests = append(a.requests, request{e.Verb, resource, e.ObjectRef.Name, e.Status.Code, e.At})
	return nil
}

// conflicts counts the requests that were refused with 409.
func conflicts(requests []request) int {
	n := 0
	for _, r := range requests {
		if r.Code == http.StatusConflict {
			n++
		}
	}
	return n
}

// settledAt returns how many parents had their status written, and when the last one had.
func settledAt(requests []request) (parents int, last time.Time) {
	seen := map[string]bool{}
	for _, r := range requests {
		if r.Resource == "echoservers/status" && r.Code < http.StatusMultipleChoices && !seen[r.Name] {
			seen[r.Name] = true
			last = r.At
		}
	}
	return len(seen), last
}
