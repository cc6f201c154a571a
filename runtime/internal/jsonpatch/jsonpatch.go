// Package jsonpatch writes JSON patches (RFC 6902) for the API server, and reads its refusals.
package jsonpatch

import (
	"encoding/json"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// Operation is one step of a patch.
type Operation struct {
	Op    string `json:"op"`   // "add", "remove", "replace" or "test"
	Path  string `json:"path"` // a JSON pointer; see [Escape]
	Value any    `json:"value,omitempty"`
}

// For returns the patch of these operations for the object with a UID. For another object of the
// name the API server refuses the whole patch; see [DoesNotFit].
func For(uid types.UID, steps ...Operation) ([]byte, error) {
	return json.Marshal(append([]Operation{{"test", "/metadata/uid", uid}}, steps...))
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Escape returns the name of a field as part of a JSON pointer (RFC 6901).
func Escape(name string) string { return pointerEscapes.Replace(name) }

// DoesNotFit reports whether the API server refused a patch because it does not fit the object,
// which has changed or is another one. The API server names the object only if the patched object
// is invalid. A webhook that refuses the object names it or not.
func DoesNotFit(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) || strings.HasPrefix(status.ErrStatus.Message, "admission webhook ") {
		return false
	}
	return status.ErrStatus.Details == nil || status.ErrStatus.Details.Name == ""
}
