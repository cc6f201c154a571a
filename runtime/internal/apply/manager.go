package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	managerPrefix = "opgen/"
	managerLength = 128 // what the API server allows
)

// FieldManager names the field manager of a controller of an API group.
func FieldManager(name, group string) string {
	manager := managerPrefix + name + "." + group
	if len(manager) <= managerLength {
		return manager
	}
	sum := sha256.Sum256([]byte(manager))
	return manager[:managerLength-17] + "-" + hex.EncodeToString(sum[:8])
}

// TrimManagedFields drops from an object that is about to be cached the field
// managers that no controller here reads: they are half of the metadata.
func TrimManagedFields(object any) (any, error) {
	o, ok := object.(client.Object)
	if !ok {
		return object, nil
	}
	var ours []metav1.ManagedFieldsEntry // anew, so that the memory of the others is free
	for _, entry := range o.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, managerPrefix) {
			ours = append(ours, entry)
		}
	}
	o.SetManagedFields(ours)
	return object, nil
}
