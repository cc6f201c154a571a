package truth

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// reportChildren reports the children of a parent that are not as desired, and those
// that are not desired, unless they may be so.
func (c *Checker) reportChildren(text *strings.Builder, parent *unstructured.Unstructured, record testcontrol.Record, said Conditions, lasting bool) {
	for _, desired := range record.Desired {
		found, gone, err := c.compareChild(parent.GetUID(), record, desired)
		if err != nil {
			fmt.Fprintf(text, "%s cannot be read: %v\n", nameOfChild(desired.Child), err)
			continue
		}
		if len(found) > 0 && !said.Excuses(desired.Child, found, gone) && !reportedOtherwise(record, said, desired, lasting) {
			writeUntruths(text, desired.Child, found)
			continue
		}
		if records, err := c.compareRecords(record, desired); err != nil {
			fmt.Fprintf(text, "%s cannot be read: %v\n", nameOfChild(desired.Child), err)
		} else if len(records) > 0 && !excusesRecords(record, said, desired.Child, records) {
			writeUntruths(text, desired.Child, records)
		}
	}
	if record.Err != nil || record.Waiting || record.KeepsAll {
		return // what is pruned then depends on what went wrong, or nothing is
	}
	for _, child := range c.undesiredChildren(parent.GetUID(), record) {
		if !said.Excuses(child, nil, false) {
			fmt.Fprintf(text, "%s is not desired, and still there\n", nameOfChild(child))
		}
	}
}

// compareChild compares a live child with its desired state, as far as its strategy
// asks for that. gone says that there is none, or that it is being deleted.
func (c *Checker) compareChild(parent types.UID, record testcontrol.Record, desired testcontrol.Desired) (found []untruth, gone bool, err error) {
	live, err := c.readObject(desired.Child)
	if waits := desired.Waits; strings.HasPrefix(waits, "waits for ") { // it is neither created nor changed
		return nil, false, nil
	}
	if apierrors.IsNotFound(err) {
		return []untruth{{path: "the child", desired: "it", live: diff.Absent}}, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	if live.GetDeletionTimestamp() != nil {
		return []untruth{{path: "the child", desired: "it", live: "it is being deleted"}}, true, nil
	}
	kind, err := c.Schemas.Kind(desired.Kind)
	if err != nil {
		return nil, false, err
	}
	others := schemas.OwnedFields(live, func(manager string) bool { return manager != record.Loop.Manager && !schemas.IsNobody(manager) })
	owned := schemas.OwnedFields(live, func(manager string) bool { return manager != record.Loop.Manager })
	applied := managedfields.Parse(managedfields.Entry(live, record.Loop.Manager, metav1.ManagedFieldsOperationApply, ""))
	compared := comparison{kind: kind, desired: desired.Ownership, live: live.Object, others: others, applied: applied, handOver: desired.HandOver}
	if isExempt(record, desired, live) {
		found, err = compared.findUntruths()
		return found, false, err
	}
	compared.desired, compared.normal = writtenPart(desired), c.normalizeValues(desired)
	if found, err = compared.findUntruths(); err != nil {
		return nil, false, err
	}
	for _, earlier := range c.history.earlierOf(parent, desired.Child) {
		removed, err := compared.findRemoved(earlier)
		if err != nil {
			return nil, false, err
		}
		found = append(found, removed...)
		if len(desired.Kept) == 0 {
			lagging, err := compared.findLagging(c.normalizeValues(testcontrol.Desired{Child: desired.Child, Content: earlier}), owned)
			if err != nil {
				return nil, false, err
			}
			found = append(found, lagging...)
		}
	}
	found = append(found, c.history.findWronglyKept(record, desired, live.Object)...)
	return distinctUntruths(found), false, nil
}

// isExempt reports whether a change need not have reached a child.
func isExempt(record testcontrol.Record, desired testcontrol.Desired, live client.Object) bool {
	switch rules := desired.Update.Rules(); {
	case !rules.RepairsDrift:
		return true
	case !rules.WritesChanges:
		return live.GetAnnotations()[record.Loop.HashKey] != desired.Hash
	}
	return desired.Waits != ""
}

func distinctUntruths(found []untruth) (distinct []untruth) {
	for _, one := range found {
		if !slices.ContainsFunc(distinct, func(other untruth) bool { return other.path == one.path }) {
			distinct = append(distinct, one)
		}
	}
	return distinct
}

// reportedOtherwise reports whether something else than a condition has said why a child
// is not as desired: an Event, where the parent has no conditions, or an error that is
// too new for them. What admission changes is said once nothing worse is.
func reportedOtherwise(record testcontrol.Record, said Conditions, desired testcontrol.Desired, lasting bool) bool {
	ready, ok := said["Ready"]
	switch {
	case !ok && desired.Conflict, len(desired.Altered) > 0 && ready.Status != "True":
		return true
	case ok && lasting:
		return false
	}
	return record.Err != nil && namesChild(record.Err.Error(), desired.Child)
}

// undesiredChildren are the children of a parent that it does not desire and that nobody is to
// keep.
func (c *Checker) undesiredChildren(parent types.UID, record testcontrol.Record) (children []testcontrol.Child) {
	for _, kind := range record.Loop.Children {
		for _, object := range c.listLabelled(record.Loop, kind) {
			child := testcontrol.Child{Kind: kind, Name: client.ObjectKeyFromObject(&object)}
			owner, _ := record.Loop.ParentOf(&object)
			isDesired := slices.ContainsFunc(record.Desired, func(d testcontrol.Desired) bool { return d.Child == child })
			if owner == parent && object.DeletionTimestamp == nil && !isDesired && !slices.Contains(record.Kept, child) {
				children = append(children, child)
			}
		}
	}
	return children
}

func nameOfChild(child testcontrol.Child) string {
	if child.Name.Namespace == "" {
		return child.Kind.Kind + " " + child.Name.Name
	}
	return child.Kind.Kind + " " + child.Name.String()
}
