package apply

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// refusedField is a field that the API server names as the cause of an invalid object.
type refusedField struct {
	name      string   // as the API server writes it: spec.ports[0].name
	path      []string // the parts of the name; anyItem for an item of a list
	message   string
	duplicate bool // another item has the same value
}

// anyItem stands for the index of an item in a path. The index in a refused object does not apply
// to the live one.
const anyItem = "[]"

// refusedFields returns the fields that validation names in a refusal. A refusal by a policy or a
// webhook has the same code and names none.
func refusedFields(refusal error) (fields []refusedField) {
	status, ok := errors.AsType[*apierrors.StatusError](refusal)
	if !ok || !apierrors.IsInvalid(refusal) || status.ErrStatus.Details == nil || strings.HasPrefix(status.ErrStatus.Message, "admission webhook ") {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Field == "" || cause.Field == "<nil>" { // it follows from another cause
			continue
		}
		fields = append(fields, refusedField{cause.Field, splitFieldName(cause.Field), cause.Message, cause.Type == metav1.CauseTypeFieldValueDuplicate})
	}
	return fields
}

// fields returns the path of the field, up to the first list in it.
func (f refusedField) fields() (path fieldpath.Path) {
	for _, name := range f.path {
		if name == anyItem {
			break
		}
		path = append(path, fieldpath.FieldNameElement(name))
	}
	return path
}

// splitFieldName returns the parts of a field's name, such as spec.ports[0].name or data[web.conf].
func splitFieldName(name string) (parts []string) {
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
