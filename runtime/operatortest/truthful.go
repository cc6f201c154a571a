package operatortest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// persists is how long an untruth has to be there before it is one: the cluster's own
// controllers write, too, and the operator is about to answer them.
const persists = 1500 * time.Millisecond

// compared is how many parents one check looks at: of more, it looks at as many, evenly
// spread, since each child costs two requests.
const compared = 40

// Truthful waits until the operator is settled, orders a reconcile of each parent, or of
// all that it knows of if none is named, and fails the test if the operator does not
// tell the truth about their children. [Cluster.Converged] includes it, and so does the
// end of each test, there by the reconciles that have been anyway. It reports each
// child and field, what is desired, what is there, and what the Ready condition says.
// It never shows a value of a Secret or of an environment variable.
//
//   - Each value that Sync desires is on the live child, as the API server makes it of
//     a child that is created anew with it: a dry run tells. Items of lists are found by
//     their keys; their order is not compared. Where the API server refuses the dry run,
//     the live value must be the desired one.
//   - No field is left that an earlier answer of Sync in this test has set and the last
//     one does not, unless the API server sets it by itself or another field manager
//     owns it. No child is left that is not desired.
//   - A child may differ if its strategy says so (CreateOnly, OnDelete, a rolling update
//     that has not come to it), if it waits for another ([operator.After]), if the parent
//     is paused or disconnected, or if the Ready, Reconciling or Stalled condition of the
//     parent names the child with a reason for it. Where the reason is
//     ChangedByAdmission, the message has to name the field, too. Progressing and
//     ChildFailed, which are about health, are a reason for a child alone that is
//     missing or being deleted. A parent that has no conditions may have a failed
//     reconcile, or a field manager conflict, that names the child.
//   - observedGeneration, of the status and of Ready, is the parent's generation, and
//     Ready is not True while reconciles fail.
//   - No child is left of a parent that is gone, except what was orphaned. Children with
//     an owner reference are the garbage collector's, and are waited for if it runs.
//   - Sync, called twice with the same request, gives the same answer and does not
//     change the request; [Config.Impure] switches this off.
//
// What Sync desires is taken from reconciles of the running operator, and not from
// another instance of it: that would call the same Sync functions, whose effects and
// counters a test may look at, a second time for every reconcile; and it would cost a
// start of half a second in each test. What is compared never comes from the operator's
// caches or from what it remembers.
func (c *Cluster) Truthful(parents ...client.Object) {
	c.t.Helper()
	c.settle(soon / 2)
	c.requireTruth(parents)
	for _, parent := range spread(c.existing(parents), compared) {
		c.reconcile(parent, c.inspection())
	}
	c.settle(0)
	c.requireTruth(parents)
	c.requireCollected()
}

// inspection is how to order a reconcile that calls Sync twice, unless that may not be.
func (c *Cluster) inspection() order {
	if c.config.Impure {
		return (*testcontrol.Loop).Force
	}
	return (*testcontrol.Loop).Inspect
}

// requireTruth fails the test if something is wrong that stays so.
func (c *Cluster) requireTruth(parents []client.Object) {
	c.t.Helper()
	mark := c.sent.count()
	report, checked := c.lasting(patience, func() string { return c.untruths(parents) })
	switch ended := c.failed(); {
	case ended != nil:
		c.t.Fatalf("the operator ended: %v", ended)
	case !checked && c.process() != nil:
		c.t.Fatalf("the operator does not settle:\n%s", c.report(mark))
	case report != "":
		c.t.Fatalf("the operator does not tell the truth:\n%s", report)
	}
}

// endTruthful checks the operator at the end of a test, by what its reconciles have
// desired, if it runs and settles.
func (c *Cluster) endTruthful() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	c.ending = ctx
	if !c.operates() {
		return
	}
	if report, _ := c.lasting(endurance, func() string { return c.untruths(nil) }); report != "" {
		c.t.Errorf("at its end, the operator does not tell the truth:\n%s", report)
	}
}

// endurance is how long an operator may take at the end of a test to settle. One that
// does not is not checked: what it says is about to change.
const endurance = 5 * time.Second

// operates reports whether an operator of the harness runs that did not fail the test.
func (c *Cluster) operates() bool {
	return !c.t.Failed() && !c.t.Skipped() && c.process() != nil && c.failed() == nil && c.process().control.Started() && len(c.knownLoops()) > 0
}

// lasting returns what a check reports once the operator is settled, and still reports
// some time later. checked is false if the operator does not settle within a time, so that
// nothing can be said.
func (c *Cluster) lasting(within time.Duration, check func() string) (report string, checked bool) {
	c.t.Helper()
	var since time.Time // it is settled; zero: it is not
	for deadline := time.Now().Add(within); ; time.Sleep(2 * interval) {
		if c.process() == nil || c.failed() != nil {
			return "", false
		}
		if report = check(); report == "" {
			return "", true
		}
		if !c.isSettled() {
			if since = (time.Time{}); time.Now().After(deadline) {
				return "", false
			}
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) > persists {
			return report, true
		}
		time.Sleep(10 * interval)
	}
}

// isSettled reports whether the operator has nothing to do, and has seen all that there
// is. It waits a moment for what its caches are about to show.
func (c *Cluster) isSettled() bool {
	begun := c.begun()
	if c.busy(0) != "" {
		return false
	}
	live, err := c.tryReadLive()
	if err != nil {
		return false
	}
	for deadline := time.Now().Add(time.Second); behind(live) != "" && c.begun() == begun; time.Sleep(glance) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return c.begun() == begun && c.busy(0) == ""
}

// untruths reports what the operator says that is not so.
func (c *Cluster) untruths(parents []client.Object) string {
	c.t.Helper()
	c.listed = map[listedKind][]metav1.PartialObjectMetadata{}
	var text strings.Builder
	for _, parent := range spread(c.parentsOr(parents), compared) {
		text.WriteString(c.untruthsOf(parent))
	}
	text.WriteString(c.leaked(false))
	return text.String()
}

// parentsOr are the parents, or all in the test's namespace and of the test's making if
// there are none.
func (c *Cluster) parentsOr(parents []client.Object) []client.Object {
	if len(parents) > 0 {
		return parents
	}
	all := c.parents(c.knownLoops())
	for _, object := range c.created {
		if object.GetNamespace() == "" && c.history.knows(object.GetUID()) {
			all = append(all, object)
		}
	}
	return all
}

// spread returns n of the items, evenly spread, or all if there are no more.
func spread[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	var some []T
	for i := range n {
		some = append(some, items[i*len(items)/n])
	}
	return some
}

// untruthsOf reports what the operator's controllers say of one parent that is not so.
func (c *Cluster) untruthsOf(parent client.Object) string {
	c.t.Helper()
	live := new(unstructured.Unstructured)
	live.SetGroupVersionKind(c.kindOf(parent))
	if c.Client.Get(c.context(), client.ObjectKeyFromObject(parent), live) != nil {
		return ""
	}
	records, failing := c.history.of(live.GetUID())
	said := conditionsOf(live)
	var text strings.Builder
	for _, record := range records {
		if !slices.Contains(c.knownLoops(), record.Loop) || record.Generation != live.GetGeneration() {
			continue // of an operator before this one, or not the last word
		}
		since, fails := failing[record.Loop.Controller]
		lasting := fails && c.clock.Now().Sub(since) > transient
		c.reportParent(&text, live, record, said, lasting)
		if record.Complete && record.Suspended == "" && !record.Finalizing && live.GetDeletionTimestamp() == nil {
			c.reportChildren(&text, live, record, said, lasting)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s %s says: %s\n", text.String(), live.GetKind(), live.GetName(), said)
}

// reportParent reports what is wrong with the status of a parent, and with its Sync.
func (c *Cluster) reportParent(text *strings.Builder, live *unstructured.Unstructured, record testcontrol.Record, said conditions, lasting bool) {
	name := live.GetKind() + " " + live.GetName()
	if record.Impure != "" && !c.config.Impure {
		fmt.Fprintf(text, "Sync of %s is not pure: called twice with one request, %s\n", name, strings.TrimSpace(record.Impure))
	}
	if record.Suspended != "" || record.Finalizing || live.GetDeletionTimestamp() != nil {
		return
	}
	observed, found, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	if found && observed != live.GetGeneration() {
		fmt.Fprintf(text, "%s has generation %d, and its status says observedGeneration %d\n", name, live.GetGeneration(), observed)
	}
	ready, ok := said["Ready"]
	if !ok {
		return
	}
	if ready.generation != 0 && ready.generation != live.GetGeneration() {
		fmt.Fprintf(text, "%s has generation %d, and its condition Ready says observedGeneration %d\n", name, live.GetGeneration(), ready.generation)
	}
	if ready.status == "True" && lasting {
		fmt.Fprintf(text, "%s is Ready, and its reconciles fail with reason %s: %v\n", name, record.Reason, record.Err)
	}
}
