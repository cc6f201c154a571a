package fault

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// Plan holds the faults of a test's operator, for all its processes.
type Plan struct {
	mu       sync.Mutex
	hooks    []*hook
	injected []*injectedFault
	past     string // the resource version to which TimeTravel goes back
}

// injectedFault is a fault with its counters.
type injectedFault struct {
	Fault
	seen    int // matching requests
	struck  int
	cleared bool
}

// hook is a function that is called before one request.
type hook struct {
	verb, resource string // as a Fault has them
	left           int    // matching requests until the function is called
	do             func()
}

// RunBefore calls do before the nth request from now on that matches verb and resource. Empty ones
// match any write and any resource. The request is sent after do returns, so that the writes of do
// come after the operator's read and before its write. do runs on the goroutine of the operator's
// request, and must not end the test.
func (p *Plan) RunBefore(verb, resource string, nth int, do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = append(p.hooks, &hook{verb: verb, resource: resource, left: nth, do: do})
}

// dueHooks counts a request, and returns the hooks to call before it.
func (p *Plan) dueHooks(made requests.Request, path string) (due []*hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = slices.DeleteFunc(p.hooks, func(h *hook) bool {
		if !matchesRequest(h.verb, h.resource, made, path) {
			return false
		}
		if h.left--; h.left > 0 {
			return false
		}
		due = append(due, h)
		return true
	})
	return due
}

// AddFaults adds faults.
func (p *Plan) AddFaults(faults []Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range faults {
		p.injected = append(p.injected, &injectedFault{Fault: fault})
	}
}

// SetPast sets the resource version to which TimeTravel goes back.
func (p *Plan) SetPast(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past = version
}

// RemoveFaults removes all faults and hooks.
func (p *Plan) RemoveFaults() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = nil
	for _, fault := range p.injected {
		fault.cleared = true
	}
}

// takeFaults counts a request, and returns its faults.
func (p *Plan) takeFaults(made requests.Request, path string) (struck []Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	counted := made
	counted.DryRun = false
	for _, fault := range p.injected {
		if fault.cleared || !matchesRequest(fault.Verb, fault.Resource, counted, path) {
			continue
		}
		lasts := fault.What.isRefusal() && !fault.Once
		if made.DryRun {
			if lasts && fault.seen >= fault.Nth {
				struck = append(struck, fault.Fault)
			}
			continue
		}
		fault.seen++
		if fault.seen == fault.Nth || lasts && fault.seen > fault.Nth {
			fault.struck++
			struck = append(struck, fault.Fault)
		}
	}
	return struck
}

// Struck returns how many requests a fault has affected, also after it was removed.
func (p *Plan) Struck(fault Fault) (times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, injected := range p.injected {
		if injected.Fault == fault {
			times += injected.struck
		}
	}
	return times
}

// Lines describes each fault that was injected, in their order.
func (p *Plan) Lines() (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, injected := range p.injected {
		lines = append(lines, fmt.Sprintf("fault %q struck %d times", injected.Fault, injected.struck))
	}
	return lines
}

// PastVersion returns the resource version to which TimeTravel goes back.
func (p *Plan) PastVersion() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.past
}

// matchesRequest reports whether a request counts for a verb and a resource. Dry runs never do.
// Requests about Events, leases and access reviews do if the resource is named.
func matchesRequest(verb, resource string, made requests.Request, path string) bool {
	switch {
	case made.Resource == "" || made.DryRun:
		return false
	case resource == "" && isAside(path):
		return false
	case resource != "" && resource != made.Resource:
		return false
	case verb == "":
		return !slices.Contains([]string{"get", "list", "watch"}, made.Verb)
	}
	return verb == made.Verb
}

// isAside reports whether a request is about Events, leases or access reviews, whose number varies.
func isAside(path string) bool {
	for _, group := range []string{"events.k8s.io", "coordination.k8s.io", "authorization.k8s.io", "authentication.k8s.io"} {
		if strings.HasPrefix(path, "/apis/"+group+"/") {
			return true
		}
	}
	return strings.HasPrefix(path, "/api/") && slices.Contains(strings.Split(path, "/"), "events")
}
