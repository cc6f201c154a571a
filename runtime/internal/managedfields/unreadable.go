package managedfields

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Unreadable is the operation of the entry that says, in the place of a manager, why an object of a cache has no
// content: it does not decode into its Go type. The API server accepts no such operation, so that nobody can write it.
const Unreadable metav1.ManagedFieldsOperationType = "Unreadable"

// UnreadableReason returns why an object of a cache has no content; empty if it has.
func UnreadableReason(object client.Object) string {
	entries := object.GetManagedFields()
	if last := len(entries) - 1; last >= 0 && entries[last].Operation == Unreadable {
		return entries[last].Manager
	}
	return ""
}
