package operatortest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// attempts are how often Converged begins again because something else than the
// operator changed an object meanwhile.
const attempts = 10

// Converged waits until the operator is settled and then has it run passes over
// the parents, or over all that it knows of if none is named. It fails the test
// if such a pass fails, or makes any request to the API server: then the
// operator would write forever. The message lists the requests, and which fields
// changed from one write of an object to the next. It fails, too, if the operator does
// not tell the truth about what it has made; see [Cluster.Truthful].
func (c *Cluster) Converged(parents ...client.Object) {
	c.t.Helper()
	c.loops() // of an operator that runs
	for range attempts {
		c.settle(soon / 2)
		c.requireTruth(parents)
		live, mark, logged := c.readLive(), c.sent.count(), len(c.Requests())
		for _, order := range []order{(*testcontrol.Loop).Force, c.inspection()} {
			c.passOverAll(parents, order)
		}
		c.settle(0)
		requests := c.Requests()[logged:]
		if c.sent.count() == mark && len(requests) == 0 {
			c.requireTruth(parents)
			c.requireCollected()
			return
		}
		if changedByOthers(live, c.readLive(), c.sent.since(mark)) != "" {
			continue
		}
		if c.sent.count() == mark { // not through the client that the runtime has
			c.t.Fatalf("not converged: forced passes made requests:\n%s", lines(requests))
		}
		c.t.Fatalf("not converged: two passes over each parent, none of which had changed, made requests:\n%s", c.report(mark))
	}
	c.t.Fatalf("not converged: after %d attempts, something else than the operator still changes its objects:\n%s", attempts, c.report(0))
}

// passOverAll has the operator reconcile the parents, or all that it knows of if there
// are none.
func (c *Cluster) passOverAll(parents []client.Object, order order) {
	c.t.Helper()
	c.reconciled(c.existing(parents), order)
}

// existing returns the parents, or all that the operator knows of if there are none. It
// fails the test if one that is named does not exist.
func (c *Cluster) existing(parents []client.Object) []client.Object {
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
	return parents
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
			if text := describe(hideSecrets(compared.found, e.Resource == "secrets")); text != "" {
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
