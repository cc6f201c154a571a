package requests

import (
	"maps"
	"slices"
	"sync"
)

// Log holds the requests that the operator's client has sent, in the order of their answers.
type Log struct {
	// Changed is called when a request was answered. Nil: nobody is told.
	Changed func()

	mu       sync.Mutex
	requests []Exchange
	waiting  int // requests that are not answered yet
	events   int // requests that were about Events
	uses     map[Use]bool
	refused  []Use // for a lack of permissions
}

// Uses returns the permissions that the requests so far have needed.
func (l *Log) Uses() map[Use]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.uses)
}

// Refused returns the permissions that requests lacked, each once.
func (l *Log) Refused() []Use {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.refused)
}

// addUse records the permissions that an answered request has needed.
func (l *Log) addUse(use Use, code int, unauthorized bool, object map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if unauthorized {
		if !slices.Contains(l.refused, use) {
			l.refused = append(l.refused, use)
		}
		return
	}
	if l.uses == nil {
		l.uses = map[Use]bool{}
	}
	for _, used := range append(impliedUses(use, code, object), use) {
		l.uses[used] = true
	}
}

// Exchange is a request, and for a write the object in the API server's answer.
type Exchange struct {
	Request
	Object  map[string]any
	Version string // the resource version of object
}

// Key returns the name of the request's object.
func (e Exchange) Key() string {
	if e.Namespace == "" || e.Namespace == e.Name {
		return e.Resource + " " + e.Name
	}
	return e.Resource + " " + e.Namespace + "/" + e.Name
}

// Since returns the requests after the first n.
func (l *Log) Since(n int) []Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests[n:])
}

// DropObjects drops the objects of all requests so far, which a long test has no memory for.
func (l *Log) DropObjects() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.requests {
		l.requests[i].Object = nil
	}
}

// Count returns the number of requests.
func (l *Log) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.requests)
}

// addPending records a request that is sent.
func (l *Log) addPending() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting++
}

// addAnswered records the answer to a request. Nil: there was none.
func (l *Log) addAnswered(answered *Exchange) {
	if l.Changed != nil {
		defer l.Changed()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	if answered == nil {
		return
	}
	l.requests = append(l.requests, *answered)
	if answered.Resource == "events" {
		l.events++
	}
}

// PendingAndEvents returns the number of requests without an answer, and of answered requests about Events.
func (l *Log) PendingAndEvents() (waiting, events int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting, l.events
}

// Requests returns all requests without their objects.
func (l *Log) Requests() []Request {
	var requests []Request
	for _, e := range l.Since(0) {
		requests = append(requests, e.Request)
	}
	return requests
}
