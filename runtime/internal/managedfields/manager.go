package managedfields

import (
	"crypto/sha256"
	"encoding/hex"
)

const (
	managerPrefix = "opgen/"
	managerLength = 128 // the longest that the API server allows
)

// FieldManager returns the name of the field manager of a controller in an API group.
func FieldManager(name, group string) string {
	manager := managerPrefix + name + "." + group
	if len(manager) <= managerLength {
		return manager
	}
	sum := sha256.Sum256([]byte(manager))
	return manager[:managerLength-17] + "-" + hex.EncodeToString(sum[:8])
}
