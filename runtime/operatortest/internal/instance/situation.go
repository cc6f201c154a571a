package instance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

const (
	// mostParents, mostEvents and mostWrites limit what is printed of it.
	mostParents, mostEvents, mostWrites = 5, 5, 10
	// situationLimit is the time limit for reading it.
	situationLimit = 10 * time.Second
)

// DescribeSituation returns what the parents of the test say, their latest Events, and the latest
// writes of the operator, for a test whose wait times out. It leaves out what cannot be read.
func (o *Operator) DescribeSituation() string {
	ctx, cancel := context.WithTimeout(context.Background(), situationLimit)
	defer cancel()
	var text strings.Builder
	for _, parent := range o.readParents(ctx) {
		fmt.Fprintf(&text, "%s %s says:\n%s", parent.GetKind(), parent.GetName(), diff.Indent(describeConditions(parent)))
		if events := o.describeEvents(ctx, parent); events != "" {
			fmt.Fprintf(&text, "its latest Events:\n%s", diff.Indent(events))
		}
	}
	if writes := latestWrites(o.Sent.Since(0)); writes != "" {
		text.WriteString("the latest writes of the operator:\n" + diff.Indent(writes))
	}
	return text.String()
}

// readParents returns the first parents of the operator, which a test has few of.
func (o *Operator) readParents(ctx context.Context) (parents []*unstructured.Unstructured) {
	for _, loop := range o.KnownLoops() {
		for _, name := range loop.Known() {
			parent := new(unstructured.Unstructured)
			parent.SetGroupVersionKind(loop.Parent)
			if len(parents) < mostParents && o.Client.Get(ctx, name, parent) == nil {
				parents = append(parents, parent)
			}
		}
	}
	return parents
}

// describeConditions returns one line for each condition.
func describeConditions(parent *unstructured.Unstructured) string {
	var lines []string
	conditions, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		lines = append(lines, fmt.Sprintf("%v=%v, %v: %v", condition["type"], condition["status"], condition["reason"], condition["message"]))
	}
	if lines == nil {
		return "nothing: it has no conditions\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

// describeEvents returns one line for each of the latest Events about a parent.
func (o *Operator) describeEvents(ctx context.Context, parent *unstructured.Unstructured) string {
	var list corev1.EventList
	namespace := cmp.Or(parent.GetNamespace(), metav1.NamespaceDefault)
	if err := o.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return ""
	}
	events := slices.DeleteFunc(list.Items, func(event corev1.Event) bool { return event.InvolvedObject.UID != parent.GetUID() })
	slices.SortFunc(events, func(a, b corev1.Event) int { return lastSeen(a).Compare(lastSeen(b)) })
	var text strings.Builder
	for _, event := range events[max(0, len(events)-mostEvents):] {
		fmt.Fprintf(&text, "%s %s: %s\n", event.Type, event.Reason, event.Message)
	}
	return text.String()
}

// lastSeen returns the time at which an Event was last recorded.
func lastSeen(event corev1.Event) time.Time {
	if event.Series != nil {
		return event.Series.LastObservedTime.Time
	}
	if !event.LastTimestamp.IsZero() {
		return event.LastTimestamp.Time
	}
	return event.EventTime.Time
}

// latestWrites returns one line for each of the latest requests that write.
func latestWrites(sent []requests.Exchange) string {
	var lines []string
	for _, e := range sent {
		if e.Verb != "get" && !e.DryRun && !strings.HasPrefix(e.Resource, "events") {
			lines = append(lines, e.String())
		}
	}
	if lines == nil {
		return "none\n"
	}
	return strings.Join(lines[max(0, len(lines)-mostWrites):], "\n") + "\n"
}
