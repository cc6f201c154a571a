package apply

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// invalidatingSearch follows a field that the API server refused to the fields of a child that others
// have set and that make the desired state, applied over them, invalid.
type invalidatingSearch struct {
	refused         []string       // the path of the field
	includePossible bool           // also fields that may conflict, where a desired field is missing
	owned           *fieldpath.Set // by any field manager
	found           *fieldpath.Set
	keys            map[*managedfields.Node]value.FieldList // of any item of each list
}

// invalidatingPaths returns the paths in a child that conflict with the desired state, by the fields
// that the API server refused. includePossible adds paths that only may conflict.
func (d Desired) invalidatingPaths(object client.Object, live map[string]any, refused []refusedField, includePossible bool) *fieldpath.Set {
	owned := ownedBy(object, func(entry metav1.ManagedFieldsEntry) bool { return entry.APIVersion == d.Kind.GroupVersion().String() })
	found, desired := fieldpath.NewSet(), d.fields()
	delete(desired, "metadata")
	for _, field := range refused {
		search := invalidatingSearch{field.path, includePossible, owned, found, map[*managedfields.Node]value.FieldList{}}
		managedfields.Rules{Enter: search.enter, Leave: search.leave}.Walk(owned.Union(fieldpath.NewSet(field.fields())), desired, live)
	}
	return found
}

// enter follows the refused field, and records which keys the items of a list have.
func (s *invalidatingSearch) enter(p *managedfields.Node) bool {
	if p.Element.Key != nil {
		s.keys[p.Parent] = *p.Element.Key
	}
	_, onPath := s.refusedBelow(p)
	return onPath && p.Desired.Exists && p.Live.Exists
}

// refusedBelow returns the rest of the refused path at a node. It reports false if the path does
// not lead there. The path of a list leads to all its items.
func (s *invalidatingSearch) refusedBelow(p *managedfields.Node) ([]string, bool) {
	if p.Parent == nil {
		return s.refused, true
	}
	above, ok := s.refusedBelow(p.Parent)
	switch {
	case !ok || len(above) == 0:
		return nil, ok && p.IsItem()
	case p.IsItem():
		return above[1:], above[0] == anyItem
	}
	return above[1:], above[0] == *p.Element.FieldName
}

// leave adds the invalidating fields of an object, or items of a list.
func (s *invalidatingSearch) leave(p *managedfields.Node) {
	rest, _ := s.refusedBelow(p)
	switch desired := p.Desired.Value.(type) {
	case map[string]any:
		if live, ok := p.Live.Value.(map[string]any); ok {
			s.addFields(p.Path(), desired, live, rest)
		}
	case []any:
		if live, ok := p.Live.Value.([]any); ok && s.keys[p] != nil {
			s.addItems(p, desired, live, rest[min(len(rest), 1):])
		}
		delete(s.keys, p)
	}
}

// addFields adds the refused field if it is not desired, and the object was edited or nobody owns the field: then it is
// a default of an earlier desired state. Where a desired
// field is missing, it adds what stands in its place: objects, such as the sources of a volume, and
// other fields only if there is no object.
func (s *invalidatingSearch) addFields(path fieldpath.Path, desired, live map[string]any, rest []string) {
	isMissing, isEdited := findEdits(desired, live)
	if len(rest) > 0 && desired[rest[0]] == nil {
		isUnowned := !managedfields.Has(s.owned, append(slices.Clip(path), fieldpath.FieldNameElement(rest[0])))
		if live[rest[0]] != nil && (isEdited || isUnowned) {
			s.add(path, rest[0])
		}
		return
	}
	if !isMissing || len(path) == 0 || len(rest) > 1 { // beside the top-level fields are kind, status and the like
		return
	}
	var objects, others []string
	for name, value := range live {
		_, isDesired := desired[name]
		_, isObject := value.(map[string]any)
		switch {
		case isDesired:
		case isObject:
			objects = append(objects, name)
		default:
			others = append(others, name)
		}
	}
	if len(objects) == 0 || s.includePossible {
		objects = append(objects, others...)
	}
	for _, name := range objects {
		s.add(path, name)
	}
}

// add adds a field of an object.
func (s *invalidatingSearch) add(path fieldpath.Path, name string) {
	s.found.Insert(append(slices.Clip(path), fieldpath.FieldNameElement(name)))
}

// addItems adds the items of others that have the same value in the refused field as a desired item.
func (s *invalidatingSearch) addItems(p *managedfields.Node, desired, live []any, field []string) {
	values, found := map[string]bool{}, 0
	for _, item := range desired {
		values[jsonText(valueAt(item, field))] = true
	}
	var certain, others []fieldpath.Path
	for _, item := range live {
		element := fieldpath.PathElement{Key: keysOf(item, s.keys[p])}
		switch path := append(p.Path(), element); {
		case p.Desired.Follow(element).Exists:
			found++
		case len(field) > 0 && values[jsonText(valueAt(item, field))]:
			certain = append(certain, path)
		default:
			others = append(others, path)
		}
	}
	if s.includePossible && found < len(desired) {
		certain = append(certain, others...)
	}
	for _, path := range certain {
		s.found.Insert(path)
	}
}

// keysOf returns the keys of an item, which has those that another item of the list has.
func keysOf(item any, names value.FieldList) *value.FieldList {
	keys := names.Copy()
	for i := range keys {
		keys[i].Value = value.NewValueInterface(fieldValue(item, keys[i].Name))
	}
	return &keys
}

// findEdits reports whether a desired field is missing in an object, and whether one is missing or
// has another value.
func findEdits(desired, live map[string]any) (isMissing, isEdited bool) {
	for name, value := range desired {
		now, exists := live[name]
		isMissing = isMissing || !exists
		isEdited = isEdited || !exists || isScalar(value) && !equalValues(value, now)
	}
	return isMissing, isEdited
}

// valueAt returns the value at a path of fields. It is nil if there is none.
func valueAt(object any, path []string) any {
	for _, name := range path {
		object = fieldValue(object, name)
	}
	return object
}

// jsonText returns the JSON of a value.
func jsonText(value any) (text string) {
	_ = encodeJSON(value, func(json []byte) { text = string(json) })
	return text
}
