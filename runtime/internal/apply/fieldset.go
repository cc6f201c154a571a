package apply

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldset is a set of field paths as managedFields writes it, sorted. "f:name" is a field,
// `k:{"name":"a"}` a list item by its keys, and `v:"x"` a list item by its value. A path ends where
// below is nil. The path of the item itself, ".", is left out.
type fieldset []step

// step is the first element of paths in a set.
type step struct {
	name  string
	below fieldset
}

// belowStep returns the set below a step.
func (s fieldset) belowStep(name string) (fieldset, bool) {
	i, found := slices.BinarySearchFunc(s, name, func(s step, name string) int { return strings.Compare(s.name, name) })
	if !found {
		return nil, false
	}
	return s[i].below, true
}

// belowField returns the set below a field.
func (s fieldset) belowField(name string) (fieldset, bool) {
	i, found := slices.BinarySearchFunc(s, name, func(s step, name string) int {
		kind, field, _ := strings.Cut(s.name, ":")
		if kind != "f" {
			return strings.Compare(kind, "f")
		}
		return strings.Compare(field, name)
	})
	if !found {
		return nil, false
	}
	return s[i].below, true
}

// OwnsCondition reports whether a field manager has set the condition of a type in an object's
// status.
func OwnsCondition(object client.Object, manager, conditionType string) bool {
	set := parseFieldset(managedEntry(object, manager, metav1.ManagedFieldsOperationUpdate, "status"))
	status, _ := set.belowField("status")
	conditions, hasList := status.belowField("conditions")
	_, isOwned := conditions.belowStep(fmt.Sprintf(`k:{"type":%q}`, conditionType))
	return isOwned || hasList && conditions == nil // the list is atomic
}

// managedEntry returns the managedFields entry of a field manager. It is nil if there is none.
func managedEntry(object client.Object, manager string, operation metav1.ManagedFieldsOperationType, subresource string) []byte {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == operation && entry.Subresource == subresource && entry.FieldsV1 != nil {
			return restoreOwner(object, entry.FieldsV1.GetRawBytes())
		}
	}
	return nil
}

// parseFieldset reads an entry. It returns nil for an entry that is not valid.
func parseFieldset(raw []byte) fieldset {
	if len(raw) == 0 {
		return nil
	}
	r := fieldReader{rest: string(raw)}
	set := r.readSet()
	if r.failed || len(r.rest) > 0 {
		return nil
	}
	return set
}

// fieldReader reads JSON that consists of objects only, as managedFields do. It is faster than a
// general decoder, and most names share the memory of the text.
type fieldReader struct {
	rest   string // of the text
	failed bool
}

// readSet reads an object as a set.
func (r *fieldReader) readSet() (set fieldset) {
	if !r.skipByte('{') {
		r.failed = true
		return nil
	}
	for !r.skipByte('}') {
		name := r.readString()
		if !r.skipByte(':') {
			r.failed = true
		}
		if r.failed {
			return nil
		}
		below := r.readSet()
		if set == nil {
			set = make(fieldset, 0, 4)
		}
		if name != "." {
			set = append(set, step{name, below})
		}
		r.skipByte(',')
	}
	byName := func(a, b step) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(set, byName) {
		slices.SortFunc(set, byName)
	}
	return set
}

// skipByte skips a character and reports true if it comes next.
func (r *fieldReader) skipByte(c byte) bool {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	if len(r.rest) == 0 || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// readString reads a JSON string.
func (r *fieldReader) readString() (text string) {
	if !r.skipByte('"') {
		r.failed = true
		return ""
	}
	end, escaped := 0, false
	for ; end < len(r.rest) && r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			escaped = true
			end++
		}
	}
	if end >= len(r.rest) {
		r.failed = true
		return ""
	}
	text = r.rest[:end]
	if escaped && json.Unmarshal([]byte(`"`+text+`"`), &text) != nil {
		r.failed = true
	}
	r.rest = r.rest[end+1:]
	return text
}
