package managedfields

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	managerPrefix = "opgen/"
	managerLength = 128 // the longest that the API server allows
	uidLength     = 36
)

// FieldManager returns the name of the field manager of a controller in an API group.
func FieldManager(name, group string) string {
	return shortenManager(managerPrefix+name+"."+group, managerLength)
}

// PatchManager returns the name of the field manager by which a controller patches objects of others for
// one parent. manager is that of the controller.
func PatchManager(manager string, parent types.UID) string {
	return patchManagerPrefix(manager) + string(parent)
}

// PatchingParents returns the UIDs of the parents for which a controller has applied a patch to an
// object. manager is that of the controller.
func PatchingParents(object client.Object, manager string) (parents []types.UID) {
	prefix := patchManagerPrefix(manager)
	for _, entry := range object.GetManagedFields() {
		if uid, ok := strings.CutPrefix(entry.Manager, prefix); ok && entry.Operation == "Apply" && entry.Subresource == "" {
			parents = append(parents, types.UID(uid))
		}
	}
	return parents
}

// patchManagerPrefix returns what the names of the managers begin with that [PatchManager] returns.
func patchManagerPrefix(manager string) string {
	return shortenManager(manager, managerLength-uidLength-1) + ":"
}

// shortenManager returns a name of at most some bytes, which differs for each longer name.
func shortenManager(name string, longest int) string {
	if len(name) <= longest {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:longest-17] + "-" + hex.EncodeToString(sum[:8])
}

// IsOfARuntime reports whether a field manager is that of an operator of this runtime.
func IsOfARuntime(manager string) bool { return strings.HasPrefix(manager, managerPrefix) }

// ParseFieldManager returns the name and the API group of the controller whose field manager this is. It
// reports false for a manager of others, and for a name that was shortened.
func ParseFieldManager(manager string) (name, group string, ok bool) {
	text, ok := strings.CutPrefix(manager, managerPrefix)
	if !ok || len(manager) == managerLength || strings.Contains(text, ":") {
		return "", "", false
	}
	name, group, _ = strings.Cut(text, ".")
	if name == "" || group == "" {
		return "", "", false
	}
	return name, group, true
}

// IsWrittenByAny reports whether one of these field managers wrote fields of an object, but for those of a
// subresource.
func IsWrittenByAny(object client.Object, managers []string) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Subresource == "" && slices.Contains(managers, entry.Manager)
	})
}
