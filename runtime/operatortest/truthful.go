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

// persists is how long an untruth must last before it is reported, because the cluster's own
// controllers write, too, and the operator still has to react.
const persists = 1500 * time.Millisecond

// compared is how many parents one check compares. Of more parents it takes as many, evenly spread,
// because each child costs two requests.
const compared = 40

// Truthful waits until the operator is settled, makes it reconcile each parent, or all that it
// knows if none is named, and fails the test if the operator reports their children untruthfully.
// [Cluster.Converged] includes this check, and so does the end of each test, for the reconciles
// that have happened. It reports each child and field, the desired and the live value, and the
// Ready condition. It never shows a value of a Secret or of an environment variable.
//
//   - Each value that Sync desires is on the live child, as the API server sets it on a new child, by a
//     dry run. Items of lists are found by their keys; their order is not compared. If the API server
//     refuses the dry run, the live value must equal the desired one.
//   - No field is left that an earlier result of Sync in this test has set and the last one does not,
//     unless the API server sets it by itself or another field manager owns it. No undesired child is
//     left.
//   - A child may differ if its strategy allows it (CreateOnly, OnDelete, a rolling update that has not
//     reached it), if it waits for another ([operator.After]), if the parent is paused or disconnected,
//     or if the Ready, Reconciling or Stalled condition of the parent names the child with a reason for
//     it. With the reason ChangedByAdmission, the message has to name the field, too. Progressing and
//     ChildFailed, which are about health, are a reason only for a child that is missing or being
//     deleted. A parent without conditions may have a failed reconcile, or a field manager conflict, that
//     names the child.
//   - observedGeneration, of the status and of Ready, is the parent's generation, and Ready is not True
//     while reconciles fail.
//   - No leaked children are left, except orphaned ones. Children with an owner reference are the garbage
//     collector's; Truthful waits for it if it runs.
//   - Two calls of Sync with the same request have the same result and do not change the request;
//     [Config.Impure] switches this off.
//
// The desired state is that of reconciles of the running operator. Another instance of it would
// call the same Sync functions, whose effects and counters a test may check, a second time for
// every reconcile, and cost half a second in each test. The live state never comes from the
// operator's caches or memory.
func (c *Cluster) Truthful(parents ...client.Object) {
	c.t.Helper()
	awaitSettled(c, soon/2)
	requireTruth(c, parents)
	for _, parent := range spreadItems(existingParents(c, parents), compared) {
		reconcileOne(c, parent, inspectionOrder(c))
	}
	awaitSettled(c, 0)
	requireTruth(c, parents)
	requireCollected(c)
}

// inspectionOrder returns the order for a reconcile that calls Sync twice, unless Config.Impure
// forbids it.
func inspectionOrder(c *Cluster) order {
	if c.config.Impure {
		return (*testcontrol.Loop).Force
	}
	return (*testcontrol.Loop).Inspect
}

// requireTruth fails the test if a report is untrue and stays so.
func requireTruth(c *Cluster, parents []client.Object) {
	c.t.Helper()
	mark := c.sent.count()
	report, checked := checkLasting(c, patience, func() string { return describeUntruths(c, parents) })
	switch ended := exitError(c); {
	case ended != nil:
		c.t.Fatalf("the operator ended: %v", ended)
	case !checked && runningProcess(c) != nil:
		c.t.Fatalf("the operator does not settle:\n%s", describeRequests(c, mark))
	case report != "":
		c.t.Fatalf("the operator does not tell the truth:\n%s", report)
	}
}

// endTruthful checks the operator at the end of a test by the desired state of its reconciles, if
// it runs and settles.
func endTruthful(c *Cluster) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	c.ending = ctx
	if !isOperating(c) {
		return
	}
	if report, _ := checkLasting(c, endurance, func() string { return describeUntruths(c, nil) }); report != "" {
		c.t.Errorf("at its end, the operator does not tell the truth:\n%s", report)
	}
}

// endurance is how long an operator may take to settle at the end of a test. One that takes longer
// is not checked, because its reports are about to change.
const endurance = 5 * time.Second

// isOperating reports whether the operator of the harness runs and has not failed the test.
func isOperating(c *Cluster) bool {
	return !c.t.Failed() && !c.t.Skipped() && runningProcess(c) != nil && exitError(c) == nil && runningProcess(c).control.Started() && len(knownLoops(c)) > 0
}

// checkLasting returns what a check reports once the operator is settled, and still reports some
// time later. checked is false if the operator does not settle within a time.
func checkLasting(c *Cluster, within time.Duration, check func() string) (report string, checked bool) {
	c.t.Helper()
	var since time.Time // when the operator settled; zero: it has not
	for deadline := time.Now().Add(within); ; time.Sleep(2 * interval) {
		if runningProcess(c) == nil || exitError(c) != nil {
			return "", false
		}
		if report = check(); report == "" {
			return "", true
		}
		if !isSettled(c) {
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

// isSettled reports whether the operator has nothing to do, and has seen the live state. It waits a
// moment for its caches.
func isSettled(c *Cluster) bool {
	begun := countBegun(c)
	if describeBusy(c, 0) != "" {
		return false
	}
	live, err := tryReadWatched(c)
	if err != nil {
		return false
	}
	for deadline := time.Now().Add(time.Second); describeStaleCache(live) != "" && countBegun(c) == begun; time.Sleep(glance) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return countBegun(c) == begun && describeBusy(c, 0) == ""
}

// describeUntruths returns what the operator reports untruthfully.
func describeUntruths(c *Cluster, parents []client.Object) string {
	c.t.Helper()
	c.listed = map[listedKind][]metav1.PartialObjectMetadata{}
	var text strings.Builder
	for _, parent := range spreadItems(parentsOrAll(c, parents), compared) {
		text.WriteString(describeUntruthsOf(c, parent))
	}
	text.WriteString(describeLeaked(c, false))
	return text.String()
}

// parentsOrAll returns the parents, or all of the test if there are none.
func parentsOrAll(c *Cluster, parents []client.Object) []client.Object {
	if len(parents) > 0 {
		return parents
	}
	all := listParents(c, knownLoops(c))
	for _, object := range c.created {
		if object.GetNamespace() == "" && c.history.knowsParent(object.GetUID()) {
			all = append(all, object)
		}
	}
	return all
}

// spreadItems returns n of the items, evenly spread, or all if there are no more.
func spreadItems[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	var some []T
	for i := range n {
		some = append(some, items[i*len(items)/n])
	}
	return some
}

// describeUntruthsOf returns what the operator's controllers report untruthfully about one parent.
func describeUntruthsOf(c *Cluster, parent client.Object) string {
	c.t.Helper()
	live := new(unstructured.Unstructured)
	live.SetGroupVersionKind(kindOf(c, parent))
	if c.Client.Get(c.context(), client.ObjectKeyFromObject(parent), live) != nil {
		return ""
	}
	records, failing := c.history.latestRecords(live.GetUID())
	said := conditionsOf(live)
	var text strings.Builder
	for _, record := range records {
		if !slices.Contains(knownLoops(c), record.Loop) || record.Generation != live.GetGeneration() {
			continue // the record is of an earlier operator, or not the latest
		}
		since, fails := failing[record.Loop.Controller]
		lasting := fails && c.clock.Now().Sub(since) > transient
		reportParent(c, &text, live, record, said, lasting)
		if record.Complete && record.Suspended == "" && !record.Finalizing && live.GetDeletionTimestamp() == nil {
			reportChildren(c, &text, live, record, said, lasting)
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s %s says: %s\n", text.String(), live.GetKind(), live.GetName(), said)
}

// reportParent reports errors in the status of a parent, and in its Sync.
func reportParent(c *Cluster, text *strings.Builder, live *unstructured.Unstructured, record testcontrol.Record, said conditions, lasting bool) {
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
