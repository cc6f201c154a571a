package apply

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldset is a set of field paths as managedFields writes it, sorted: "f:name"
// is a field, `k:{"name":"a"}` a list item by its keys, `v:"x"` one by its
// value. A path that ends has nil below it. The item itself, ".", is left out.
type fieldset []step

type step struct {
	name  string
	below fieldset
}

// at returns the set below a step.
func (s fieldset) at(name string) (fieldset, bool) {
	i, found := slices.BinarySearchFunc(s, name, func(s step, name string) int { return strings.Compare(s.name, name) })
	if !found {
		return nil, false
	}
	return s[i].below, true
}

// field returns the set below a field.
func (s fieldset) field(name string) (fieldset, bool) {
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

// OwnsCondition tells whether this field manager has set the condition of this
// type in an object's status.
func OwnsCondition(object client.Object, manager, conditionType string) bool {
	set := fieldsOf(entryOf(object, manager, metav1.ManagedFieldsOperationUpdate, "status"))
	status, _ := set.field("status")
	conditions, any := status.field("conditions")
	_, one := conditions.at(fmt.Sprintf(`k:{"type":%q}`, conditionType))
	return one || any && conditions == nil // an atomic list
}

// Wrote tells whether what a label or an annotation of an object says is what this
// field manager has written there, and when that was: a value that somebody else
// changes is no longer the manager's. Times are in no object of a cache.
func Wrote(object client.Object, manager, field, key string) (at time.Time, ok bool) {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != manager || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		metadata, _ := fieldsOf(restored(object, entry.FieldsV1.GetRawBytes())).field("metadata")
		texts, _ := metadata.field(field)
		if _, owned := texts.field(key); !owned {
			continue
		}
		if written := ptrTime(entry.Time); written.After(at) {
			at = written
		}
		ok = true
	}
	return at, ok
}

// entryOf returns what managedFields says of a field manager, as it is written
// there; nil when it says nothing.
func entryOf(object client.Object, manager string, operation metav1.ManagedFieldsOperationType, subresource string) []byte {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == operation && entry.Subresource == subresource && entry.FieldsV1 != nil {
			return restored(object, entry.FieldsV1.GetRawBytes())
		}
	}
	return nil
}

// fieldsOf reads an entry. One that cannot be read is empty.
func fieldsOf(raw []byte) fieldset {
	if len(raw) == 0 {
		return nil
	}
	r := fieldReader{rest: string(raw)}
	set := r.set()
	if r.failed || len(r.rest) > 0 {
		return nil
	}
	return set
}

// fieldReader reads the only JSON that managedFields consist of: objects of
// objects. It takes a fraction of what a general decoder takes, and most names
// take no memory of their own.
type fieldReader struct {
	rest   string
	failed bool
}

func (r *fieldReader) set() (set fieldset) {
	if !r.take('{') {
		r.failed = true
		return nil
	}
	for !r.take('}') {
		name := r.string()
		if !r.take(':') {
			r.failed = true
		}
		if r.failed {
			return nil
		}
		below := r.set()
		if set == nil {
			set = make(fieldset, 0, 4)
		}
		if name != "." {
			set = append(set, step{name, below})
		}
		r.take(',')
	}
	byName := func(a, b step) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(set, byName) {
		slices.SortFunc(set, byName)
	}
	return set
}

// take takes a character, if it comes next.
func (r *fieldReader) take(c byte) bool {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	if len(r.rest) == 0 || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *fieldReader) string() (text string) {
	if !r.take('"') {
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
