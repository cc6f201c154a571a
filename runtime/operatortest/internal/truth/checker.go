package truth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// persists is how long an untruth must last before it is reported, because the cluster's own
// controllers write, too, and the operator still has to react.
const persists = 1500 * time.Millisecond

// compared is how many parents one check compares. Of more parents it takes as many, evenly spread,
// because each child costs two requests.
const compared = 40

// Checker checks the reports of an operator, by what its reconciles have desired. The desired state is
// that of the running operator: another instance of it would call the same Sync functions, whose
// effects and counters a test may check, a second time for every reconcile.
type Checker struct {
	*instance.Operator

	Schemas *schemas.Schemas
	history history
	normals map[string]map[string]any // desired children as the API server would create them; see normalizeValues

	mu       sync.Mutex // for one check at a time
	readings readings
}

// New prepares an operator whose reports are checked, as [instance.New] does.
func New(t *testing.T, config instance.Config) *Checker {
	t.Helper()
	c := &Checker{Operator: instance.New(t, config), normals: map[string]map[string]any{}}
	var err error
	if c.Schemas, err = schemas.New(c.Server); err != nil {
		t.Fatal(err)
	}
	c.history.now = c.Clock.Now
	c.Recorded, c.BeforeStop = c.history.addRecord, c.checkLeaks
	return c
}

// Run runs the operator until the test ends, and then checks its reports.
func (c *Checker) Run() {
	c.T.Helper()
	c.Operator.Run()
	c.T.Cleanup(c.checkAtEnd) // before the objects of the test are deleted
}

// Check waits until the operator is settled, makes it reconcile each parent, or all that it knows if
// none is named, and fails the test if the operator reports their children untruthfully.
func (c *Checker) Check(parents []client.Object) {
	c.T.Helper()
	c.AwaitSettled(instance.Soon / 2)
	c.RequireTruth(parents)
	for _, parent := range spreadItems(c.ExistingParents(parents), compared) {
		c.Reconcile(parent, c.InspectionOrder())
	}
	c.AwaitSettled(0)
	c.RequireTruth(parents)
	c.RequireCollected()
}

// UntruthsOf returns what the operator reports untruthfully about one parent.
func (c *Checker) UntruthsOf(parent client.Object) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refreshReadings()
	return c.describeUntruthsOf(parent)
}

// WasCommitted reports whether a parent's last reconciles have called the functions of WhenApplied of a
// child.
func (c *Checker) WasCommitted(parent types.UID, child testcontrol.Child) bool {
	records, _ := c.history.latestRecords(parent)
	return slices.ContainsFunc(records, func(r testcontrol.Record) bool { return slices.Contains(r.Committed, child) })
}

// LatestRecords returns what the controllers have last desired for a parent.
func (c *Checker) LatestRecords(parent types.UID) []testcontrol.Record {
	records, _ := c.history.latestRecords(parent)
	return records
}

// DropParent drops what was desired for a parent that is deleted.
func (c *Checker) DropParent(parent types.UID) { c.history.dropParent(parent) }

// InspectionOrder returns the order for a reconcile that calls Sync twice, unless Config.Impure
// forbids it.
func (c *Checker) InspectionOrder() instance.Order {
	if c.Config.Impure {
		return (*testcontrol.Loop).Force
	}
	return (*testcontrol.Loop).Inspect
}

// RequireTruth fails the test if a report is untrue and stays so.
func (c *Checker) RequireTruth(parents []client.Object) {
	c.T.Helper()
	mark := c.Sent.Count()
	report, checked := c.checkLasting(instance.SettleLimit(), func() string { return c.describeUntruths(parents) })
	switch ended := c.ExitError(); {
	case ended != nil:
		c.T.Fatalf("the operator ended: %v", ended)
	case !checked && c.RunningProcess() != nil:
		c.T.Fatalf("the operator does not settle:\n%s", c.DescribeRequests(mark))
	case report != "":
		c.T.Fatalf("the operator does not tell the truth:\n%s", report)
	}
}

// checkAtEnd checks the operator at the end of a test by the desired state of its reconciles, if
// it runs and settles.
func (c *Checker) checkAtEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*instance.Patience())
	defer cancel()
	c.Ending = ctx
	if !c.isOperating() {
		return
	}
	if report, _ := c.checkLasting(endurance, func() string { return c.describeUntruths(nil) }); report != "" {
		c.T.Errorf("at its end, the operator does not tell the truth:\n%s", report)
	}
}

// endurance is how long an operator may take to settle at the end of a test. One that takes longer
// is not checked, because its reports are about to change.
const endurance = 5 * time.Second

// isOperating reports whether the operator of the harness runs and has not failed the test.
func (c *Checker) isOperating() bool {
	return !c.T.Failed() && !c.T.Skipped() && c.RunningProcess() != nil && c.ExitError() == nil && c.RunningProcess().Control.Started() && len(c.KnownLoops()) > 0
}

// checkLasting returns what a check reports once the operator is settled, and still reports some
// time later. checked is false if the operator does not settle within a time.
func (c *Checker) checkLasting(within time.Duration, check func() string) (report string, checked bool) {
	c.T.Helper()
	var since time.Time // when the operator settled; zero: it has not
	for deadline := time.Now().Add(within); ; c.AwaitChange(2 * instance.Interval) {
		if c.RunningProcess() == nil || c.ExitError() != nil {
			return "", false
		}
		if report = check(); report == "" {
			return "", true
		}
		if !c.IsSettled() {
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
		time.Sleep(10 * instance.Interval)
	}
}

// describeUntruths returns what the operator reports untruthfully.
func (c *Checker) describeUntruths(parents []client.Object) string {
	c.T.Helper()
	c.refreshReadings()
	var text strings.Builder
	for _, parent := range spreadItems(c.ParentsOrAll(parents), compared) {
		text.WriteString(c.describeUntruthsOf(parent))
	}
	text.WriteString(c.describeLeaked(false))
	return text.String()
}

// ParentsOrAll returns the parents, or all of the test if there are none.
func (c *Checker) ParentsOrAll(parents []client.Object) []client.Object {
	if len(parents) > 0 {
		return parents
	}
	all := c.ListParents(c.KnownLoops())
	for _, object := range c.Created {
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
func (c *Checker) describeUntruthsOf(parent client.Object) string {
	c.T.Helper()
	live, err := c.readObject(testcontrol.Child{Kind: c.KindOf(parent), Name: client.ObjectKeyFromObject(parent)})
	if err != nil {
		return ""
	}
	records, failing := c.history.latestRecords(live.GetUID())
	said := ConditionsOf(live)
	var text strings.Builder
	for _, record := range records {
		if !slices.Contains(c.KnownLoops(), record.Loop) || record.Generation != live.GetGeneration() {
			continue // the record is of an earlier operator, or not the latest
		}
		since, fails := failing[record.Loop.Controller]
		lasting := fails && c.Clock.Now().Sub(since) > transient
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

// reportParent reports errors in the status of a parent, and in its Sync.
func (c *Checker) reportParent(text *strings.Builder, live *unstructured.Unstructured, record testcontrol.Record, said Conditions, lasting bool) {
	name := live.GetKind() + " " + live.GetName()
	if record.Impure != "" && !c.Config.Impure {
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
	if ready.Generation != 0 && ready.Generation != live.GetGeneration() {
		fmt.Fprintf(text, "%s has generation %d, and its condition Ready says observedGeneration %d\n", name, live.GetGeneration(), ready.Generation)
	}
	if ready.Status == "True" && lasting {
		fmt.Fprintf(text, "%s is Ready, and its reconciles fail with reason %s: %v\n", name, record.Reason, record.Err)
	}
}
