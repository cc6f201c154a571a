package operatortest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// attempts is how often Converged starts again because another client changed an object meanwhile.
const attempts = 10

// Converged waits until the operator is settled and then makes it reconcile the parents, or all
// that it knows if none is named. It fails the test if a reconcile fails or makes a request to the
// API server: the operator would write forever. The message lists the requests, and the fields that
// changed from one write of an object to the next. It also fails the test if the operator reports
// its children untruthfully; see [Cluster.Truthful].
func (c *Cluster) Converged(parents ...client.Object) {
	c.t.Helper()
	runningLoops(c) // of an operator that runs
	for range attempts {
		awaitSettled(c, soon/2)
		requireTruth(c, parents)
		live, mark, logged := readWatched(c), c.sent.count(), len(c.Requests())
		for _, order := range []order{(*testcontrol.Loop).Force, inspectionOrder(c)} {
			reconcileExisting(c, parents, order)
		}
		requireLaterRequeue(c, parents)
		awaitSettled(c, 0)
		requests := c.Requests()[logged:]
		if c.sent.count() == mark && len(requests) == 0 {
			requireTruth(c, parents)
			requireCollected(c)
			return
		}
		if changedByOthers(live, readWatched(c), c.sent.since(mark)) != "" {
			continue
		}
		if c.sent.count() == mark { // not through the client that the runtime has
			c.t.Fatalf("not converged: forced reconciles made requests:\n%s", formatRequests(requests))
		}
		c.t.Fatalf("not converged: two reconciles of each parent, none of which had changed, made requests:\n%s", describeRequests(c, mark))
	}
	c.t.Fatalf("not converged: after %d attempts, another client still changes its objects:\n%s", attempts, describeRequests(c, 0))
}

// requireLaterRequeue fails the test if a parent's last reconcile asked for another one at a time
// that has passed, as the one before it did.
func requireLaterRequeue(c *Cluster, parents []client.Object) {
	c.t.Helper()
	for _, parent := range existingParents(c, parents) {
		reconciles := loopOf(c, parent).Reconciles(client.ObjectKeyFromObject(parent))
		if len(reconciles) > 0 && reconciles[len(reconciles)-1].IsHotLoop {
			c.t.Fatalf("not converged: Sync asks for a reconcile of %s at a time that has passed, again and again: RequeueAfter is negative", describeObject(c.Client, parent))
		}
	}
}

// reconcileExisting makes the operator reconcile the parents, or all that it knows if there are
// none.
func reconcileExisting(c *Cluster, parents []client.Object, order order) {
	c.t.Helper()
	reconcileAll(c, existingParents(c, parents), order)
}

// existingParents returns the parents, or all that the operator knows if there are none. It fails
// the test if one that is named does not exist.
func existingParents(c *Cluster, parents []client.Object) []client.Object {
	c.t.Helper()
	if len(parents) == 0 {
		for _, loop := range runningLoops(c) {
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

// key returns the name of the request's object.
func (e exchange) key() string {
	if e.Namespace == "" || e.Namespace == e.Name {
		return e.Resource + " " + e.Name
	}
	return e.Resource + " " + e.Namespace + "/" + e.Name
}

// describeRequests returns the requests after the first n, and what changed in the objects that
// they wrote.
func describeRequests(c *Cluster, n int) string {
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
	changed := describeChanges(c, n)
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		fmt.Fprintf(&text, "what the writes changed in %s:\n%s", key, indentLines(changed[key]))
	}
	if text.Len() == 0 {
		return "  reconciles go on, but make no requests\n"
	}
	return text.String()
}

// describeChanges compares each object that was written after the first n requests with its state
// after the write before, for the last write that changed something.
func describeChanges(c *Cluster, n int) map[string]string {
	last, changed := map[string]map[string]any{}, map[string]string{}
	for i, e := range c.sent.since(0) {
		if e.object == nil || e.Code >= 300 {
			continue
		}
		key := e.key()
		if before, ok := last[key]; ok && i >= n {
			compared := comparison{}
			compared.compareValues("", before, e.object)
			if text := describeDifferences(hideSecrets(compared.found, e.Resource == "secrets")); text != "" {
				changed[key] = text
			} else if changed[key] == "" {
				changed[key] = "nothing\n"
			}
		}
		last[key] = e.object
	}
	return changed
}

// formatRequests returns one line for each request.
func formatRequests(requests []Request) string {
	var text strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&text, "  %s\n", r)
	}
	return text.String()
}

// indentLines indents each line of a text.
func indentLines(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
