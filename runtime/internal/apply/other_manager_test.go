package apply

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOtherStatusManager(t *testing.T) {
	entry := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: subresource,
			FieldsV1: metav1.NewFieldsV1(fields)}
	}
	parts := map[string]any{"phase": "ours", "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
	for _, test := range []struct {
		name    string
		status  map[string]any
		entries []metav1.ManagedFieldsEntry
		manager string
		taken   []string
	}{
		{"a field and a condition's field", map[string]any{"phase": "theirs", "conditions": []any{map[string]any{"type": "Ready", "status": "False"}}}, []metav1.ManagedFieldsEntry{
			entry("own", "status", `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:type":{}}}}}`),
			entry("spec writer", "", `{"f:spec":{"f:text":{}}}`),
			entry("other", "status", `{"f:status":{"f:phase":{},"f:other":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{"f:status":{}}}}}`),
		}, "other", []string{"status.conditions[type=Ready].status", "status.phase"}},
		{"removed by who writes something else", map[string]any{"conditions": []any{}, "other": 1}, []metav1.ManagedFieldsEntry{
			entry("own", "status", `{"f:status":{"f:conditions":{}}}`),
			entry("other", "status", `{"f:status":{"f:other":{}}}`),
			entry("spec writer", "", `{"f:spec":{"f:text":{}}}`),
		}, "other", []string{"status.conditions", "status.phase"}},
		{"removed by nobody who is known", map[string]any{}, []metav1.ManagedFieldsEntry{
			entry("own", "status", `{"f:status":{}}`),
		}, "", []string{"status"}},
		{"taken under our own name", map[string]any{"phase": "theirs", "conditions": []any{map[string]any{"type": "Ready", "status": "False"}}}, []metav1.ManagedFieldsEntry{
			entry("own", "status", `{"f:status":{"f:phase":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:type":{},"f:status":{}}}}}`),
		}, "own", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := &unstructured.Unstructured{Object: map[string]any{"status": test.status}}
			live.SetManagedFields(test.entries)
			manager, taken := OtherStatusManager(live, "own", parts)
			if manager != test.manager || !slices.Equal(taken, test.taken) {
				t.Errorf("%q has taken %q, want %q and %q", manager, taken, test.manager, test.taken)
			}
		})
	}
}
