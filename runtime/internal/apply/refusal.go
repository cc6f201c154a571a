package apply

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusedField is a field that the API server names as the cause why an object is
// invalid.
type refusedField struct {
	name      string   // as the API server writes it: spec.ports[0].name
	path      []string // its parts; anyItem for an item of a list
	message   string
	duplicate bool // it has the value of another item
}

// anyItem stands in a path for the index of an item, which is that in the refused
// object and not in one that anybody has seen.
const anyItem = "[]"

// refusedFields returns the fields that validation names. A policy or a webhook may
// refuse by the same code; they name none.
func refusedFields(refusal error) (fields []refusedField) {
	status, ok := errors.AsType[*apierrors.StatusError](refusal)
	if !ok || !apierrors.IsInvalid(refusal) || status.ErrStatus.Details == nil || strings.HasPrefix(status.ErrStatus.Message, "admission webhook ") {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Field == "" || cause.Field == "<nil>" { // what follows from another
			continue
		}
		fields = append(fields, refusedField{cause.Field, partsOf(cause.Field), cause.Message, cause.Type == metav1.CauseTypeFieldValueDuplicate})
	}
	return fields
}

// partsOf takes the name of a field apart: spec.ports[0].name, data[web.conf].
func partsOf(name string) (parts []string) {
	for name != "" {
		if rest, ok := strings.CutPrefix(name, "["); ok {
			key, after, _ := strings.Cut(rest, "]")
			if strings.Trim(key, "0123456789") == "" {
				key = anyItem
			}
			parts, name = append(parts, key), strings.TrimPrefix(after, ".")
			continue
		}
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			return append(parts, name)
		}
		parts, name = append(parts, name[:end]), strings.TrimPrefix(name[end:], ".")
	}
	return parts
}
