package operatortest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/passes"
)

// flaps is how often an operator may write one object while a test waits for it
// to settle.
const flaps = 20

// Converged waits until the operator is settled and then has it run passes over
// the parents, or over all that it knows of if none is named. It fails the test
// if such a pass fails, or makes any request to the API server: then the
// operator would write forever. The message lists the requests, and which fields
// changed from one write of an object to the next.
func (c *Cluster) Converged(parents ...client.Object) {
	c.t.Helper()
	c.settle(quiet / 2)
	mark, logged := c.sent.count(), len(c.Requests())
	for range 2 {
		c.passOverAll(parents)
	}
	c.settle(quiet / 8)
	after := c.sent.since(mark)
	if len(after) == 0 && len(c.Requests()) > logged { // not through the client that the runtime has
		c.t.Fatalf("not converged: forced passes made requests:\n%s", lines(c.Requests()[logged:]))
	}
	if len(after) > 0 {
		c.t.Fatalf("not converged: two passes over each parent, none of which had changed, made requests:\n%s", c.report(mark))
	}
}

func (c *Cluster) passOverAll(parents []client.Object) {
	c.t.Helper()
	if len(parents) == 0 {
		for _, loop := range c.loops() {
			for _, name := range loop.Known() {
				parent := loop.Empty.DeepCopyObject().(client.Object)
				parent.SetName(name.Name)
				parent.SetNamespace(name.Namespace)
				if c.Get(parent) {
					parents = append(parents, parent)
				}
			}
		}
	}
	for _, parent := range parents {
		if !c.Get(parent) {
			c.t.Fatalf("%s does not exist", describeObject(c.Client, parent))
		}
	}
	c.Reconciled(parents...)
}

// settle waits until the operator is quiet.
func (c *Cluster) settle(quiet time.Duration) {
	c.t.Helper()
	from, deadline := c.sent.count(), time.Now().Add(patience)
	var made int
	since := time.Now()
	for {
		if ended := c.failed(); ended != nil {
			c.t.Fatalf("waiting until the operator is settled: the operator ended: %v", ended)
		}
		if now := c.sent.count() + c.audited(); now != made {
			made, since = now, time.Now()
		}
		if time.Since(since) >= quiet && c.isQuiet(quiet) {
			return
		}
		if c.flapping(from) || time.Now().After(deadline) {
			c.t.Fatalf("the operator does not settle:\n%s", c.report(from))
		}
		time.Sleep(interval)
	}
}

// audited counts the requests in the audit log, where other processes than this
// test's may run the operator; zero where there is no log.
func (c *Cluster) audited() int {
	c.t.Helper()
	if c.audit == nil {
		return 0
	}
	return len(c.Requests())
}

func (c *Cluster) isQuiet(quiet time.Duration) bool {
	if c.running == nil {
		return true
	}
	loops := c.running.control.Loops()
	return !slices.ContainsFunc(loops, func(l *passes.Loop) bool { return l.Quiet() < quiet })
}

// flapping tells whether one object was written again and again.
func (c *Cluster) flapping(from int) bool {
	writes := map[string]int{}
	for _, e := range c.sent.since(from) {
		if e.object == nil || e.Code >= 300 {
			continue
		}
		if writes[e.key()]++; writes[e.key()] > flaps {
			return true
		}
	}
	return false
}

// key names the object that a request is about.
func (e exchange) key() string {
	if e.Namespace == "" || e.Namespace == e.Name {
		return e.Resource + " " + e.Name
	}
	return e.Resource + " " + e.Namespace + "/" + e.Name
}

// report lists the requests after the first n, and what changed in the objects
// that they wrote.
func (c *Cluster) report(n int) string {
	var text strings.Builder
	counts, order := map[string]int{}, []string(nil)
	for _, e := range c.sent.since(n) {
		line := e.String()
		if counts[line]++; counts[line] == 1 {
			order = append(order, line)
		}
	}
	for _, line := range order {
		fmt.Fprintf(&text, "  %s", line)
		if counts[line] > 1 {
			fmt.Fprintf(&text, " (%d times)", counts[line])
		}
		text.WriteString("\n")
	}
	changed := c.changes(n)
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		fmt.Fprintf(&text, "what the writes changed in %s:\n%s", key, indent(changed[key]))
	}
	if text.Len() == 0 {
		return "  passes go on, but make no requests\n"
	}
	return text.String()
}

// changes compares each object that was written after the first n requests with
// what the write before had left of it, for the last such write that changed
// something.
func (c *Cluster) changes(n int) map[string]string {
	last, changed := map[string]map[string]any{}, map[string]string{}
	for i, e := range c.sent.since(0) {
		if e.object == nil || e.Code >= 300 {
			continue
		}
		key := e.key()
		if before, ok := last[key]; ok && i >= n {
			compared := comparison{}
			compared.values("", before, e.object)
			if text := describe(compared.found); text != "" {
				changed[key] = text
			} else if changed[key] == "" {
				changed[key] = "nothing\n"
			}
		}
		last[key] = e.object
	}
	return changed
}

func lines(requests []Request) string {
	var text strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&text, "  %s\n", r)
	}
	return text.String()
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
