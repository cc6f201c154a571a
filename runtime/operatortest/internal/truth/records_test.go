package truth

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// Why the content of a child was refused is no reason for old marks.
func TestOnlyReasonsAboutMarksExcuseThem(t *testing.T) {
	child := testcontrol.Child{Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Name: types.NamespacedName{Namespace: "a", Name: "web"}}
	found := []untruth{{path: `.metadata.annotations["example.com/when-removed"]`, desired: "Orphan"}}
	const notWritten = "ConfigMap a/web: no; ConfigMap a/web: what its options record could not be written either: no"
	for name, test := range map[string]struct {
		record    testcontrol.Record
		ready     Condition
		isExcused bool
	}{
		"the content is refused":           {testcontrol.Record{Reason: "InvalidChild", Err: errors.New("ConfigMap a/web: no")}, Condition{Reason: "InvalidChild", message: "ConfigMap a/web: no"}, false},
		"the marks are refused, too":       {testcontrol.Record{}, Condition{Reason: "Forbidden", message: notWritten}, true},
		"no condition says so":             {testcontrol.Record{Err: errors.New(notWritten)}, Condition{}, true},
		"somebody changes them":            {testcontrol.Record{}, Condition{Reason: "FieldConflict", message: "ConfigMap a/web: somebody keeps changing them"}, true},
		"somebody changes another child":   {testcontrol.Record{}, Condition{Reason: "FieldConflict", message: "ConfigMap a/other: somebody keeps changing them"}, false},
		"admission changes them":           {testcontrol.Record{}, Condition{Reason: "ChangedByAdmission", message: "ConfigMap a/web: .metadata.annotations.example.com/when-removed"}, true},
		"admission changes something else": {testcontrol.Record{}, Condition{Reason: "ChangedByAdmission", message: "ConfigMap a/web: .data.text"}, false},
		"more children than are named":     {testcontrol.Record{}, Condition{Reason: "InvalidChild", message: "ConfigMap a/x: no; and 3 more"}, true},
		"the child is not ready":           {testcontrol.Record{}, Condition{Reason: "Progressing", message: "ConfigMap web waits"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := excusesRecords(test.record, Conditions{"Ready": test.ready}, child, found); got != test.isExcused {
				t.Errorf("excused: %v", got)
			}
		})
	}
}
