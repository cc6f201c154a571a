// Package jsonpatch writes JSON patches (RFC 6902) as the API server takes them,
// and reads its refusals.
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

// For returns the patch of these steps for the object of a UID. The API server
// carries out no step on another object of its name; its refusal is [Unfit].
func For(uid types.UID, steps ...Operation) ([]byte, error) {
	return json.Marshal(append([]Operation{{"test", "/metadata/uid", uid}}, steps...))
}

var escaped = strings.NewReplacer("~", "~0", "/", "~1")

// Escape makes a field's name a part of a JSON pointer (RFC 6901).
func Escape(name string) string { return escaped.Replace(name) }

// Unfit tells whether the API server could not carry out a patch since it does not
// fit the object: it was made from another state of it, or for another object. The
// API server names the object only where it is the outcome that is invalid.
func Unfit(err error) bool {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && (status.ErrStatus.Details == nil || status.ErrStatus.Details.Name == "")
}
