package truth

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// compareRecords compares the marks of a live child, which also record its options, with the desired ones. They
// do not wait for the rest of the child, so that no reason why that differs counts for them. compareRecords
// returns none of a child that is absent or leaves, or that the reconcile has left alone altogether.
func (c *Checker) compareRecords(record testcontrol.Record, desired testcontrol.Desired) (found []untruth, err error) {
	live, err := c.readObject(desired.Child)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case live.GetDeletionTimestamp() != nil, isLeftAlone(record, desired, live):
		return nil, nil
	}
	kind, err := c.Schemas.Kind(desired.Kind)
	if err != nil {
		return nil, err
	}
	found, err = comparison{kind: kind, desired: desired.Ownership, live: live.Object}.findUntruths()
	if err != nil {
		return nil, err
	}
	group := strings.TrimSuffix(record.Loop.HashKey, "desired-hash")
	texts, _, _ := unstructured.NestedStringMap(desired.Ownership, "metadata", "annotations")
	for _, mark := range []string{group + "when-removed", group + "listed-as", group + "parent"} {
		value, isThere := live.GetAnnotations()[mark]
		if _, isDesired := texts[mark]; isThere && !isDesired {
			found = append(found, untruth{path: `metadata.annotations["` + mark + `"]`, desired: diff.Absent, live: value, removed: true})
		}
	}
	return found, nil
}

// isLeftAlone reports whether a reconcile has not tried to write the content of a child, for another reason
// than that others come first. The marks are then all that it has written, and its error is about them.
func isLeftAlone(record testcontrol.Record, desired testcontrol.Desired, live *unstructured.Unstructured) bool {
	return !strings.HasPrefix(desired.Waits, "waits for ") && isExempt(record, desired, live)
}

// notRecorded is what the operator says of a child whose marks it could not write.
const notRecorded = "what its options record could not be written"

// excusesRecords reports whether the marks of a child may differ: the operator says that they could not be
// written, that admission or somebody else changes them, or that the object is not the parent's.
func excusesRecords(record testcontrol.Record, said Conditions, child testcontrol.Child, found []untruth) bool {
	if record.Err != nil && (strings.Contains(record.Err.Error(), notRecorded) || isAboutMarks(record.Reason)) {
		return true
	}
	for _, condition := range said {
		switch {
		case isCutOff(condition.message) && !condition.IsAboutHealth(), strings.Contains(condition.message, notRecorded):
			return true
		case !namesChild(condition.message, child):
		case isAboutMarks(condition.Reason):
			return true
		case condition.Reason == "ChangedByAdmission" && !slices.ContainsFunc(found, func(u untruth) bool { return !namesField(condition.message, u.path) }):
			return true
		}
	}
	return false
}

// isAboutMarks reports whether a reason says that others have the child, or change its marks.
func isAboutMarks(reason string) bool {
	return reason == "NameConflict" || reason == "FieldConflict" || reason == "TakeoverFailed"
}
