package apply

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/internal/listmap"
)

// conflictSearch finds the fields of a child that others have set and that make the desired state,
// applied over them, invalid.
type conflictSearch struct {
	everything bool // also fields that may conflict, where a desired field is missing
	found      *fieldpath.Set
}

// conflictPlace is one object or list, in the desired state and in the child.
type conflictPlace struct {
	path          fieldpath.Path
	kind          listmap.Type                        // of the object, or of the items of the list
	keys          func(map[string]any) map[string]any // of an item of the list; nil if it is not known
	owned         fieldset                            // of all field managers, below the path
	desired, live any
}

// conflictingPaths returns the paths in a child that conflict with the desired state, by the fields
// that the API server refused. everything adds paths that only may conflict.
func conflictingPaths(d Desired, object client.Object, live map[string]any, fields []refusedField, everything bool) (*fieldpath.Set, error) {
	all := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 == nil || entry.APIVersion != d.Kind.GroupVersion().String() {
			continue
		}
		set, err := parseSet(entry.FieldsV1.GetRawBytes())
		if err != nil {
			return nil, err
		}
		all = all.Union(set)
	}
	raw, err := all.ToJSON()
	if err != nil {
		return nil, err
	}
	search := conflictSearch{everything: everything, found: fieldpath.NewSet()}
	desired := d.fields()
	delete(desired, "metadata")
	for _, field := range fields {
		search.visit(conflictPlace{kind: listmap.Of(d.Kind), owned: parseFieldset(raw), desired: desired, live: live}, field.path)
	}
	return search.found, nil
}

// visit follows a refused field from a place.
func (s *conflictSearch) visit(at conflictPlace, field []string) {
	switch desired := at.desired.(type) {
	case map[string]any:
		if live, ok := at.live.(map[string]any); ok {
			s.visitObject(at, desired, live, field)
		}
	case []any:
		if live, ok := at.live.([]any); ok {
			s.visitList(at, desired, live, field)
		}
	}
}

// visitObject follows a refused field into an object.
func (s *conflictSearch) visitObject(at conflictPlace, desired, live map[string]any, field []string) {
	if len(field) == 0 {
		s.addReplacing(at, desired, live)
		return
	}
	name := field[0]
	value, isDesired := desired[name]
	if !isDesired {
		if _, exists := live[name]; exists && isEdited(desired, live) {
			s.add(at, fieldpath.PathElement{FieldName: &name})
		}
		return
	}
	if len(field) == 1 {
		s.addReplacing(at, desired, live)
	}
	below := conflictPlace{path: at.below(fieldpath.PathElement{FieldName: &name}), kind: at.kind.Field(name), desired: value, live: live[name]}
	below.keys = func(item map[string]any) map[string]any { return at.kind.Keys(name, item) }
	below.owned, _ = at.owned.belowField(name)
	s.visit(below, field[1:])
}

// addReplacing adds the fields of an object that stand in the place of a missing desired one:
// objects, such as the sources of a volume, and other fields only if there is no object.
func (s *conflictSearch) addReplacing(at conflictPlace, desired, live map[string]any) {
	if !isMissing(desired, live) {
		return
	}
	var objects, others []string
	for name, value := range live {
		_, isDesired := desired[name]
		_, object := value.(map[string]any)
		switch {
		case isDesired:
		case object:
			objects = append(objects, name)
		default:
			others = append(others, name)
		}
	}
	if len(at.path) == 0 { // the others are kind, status and the like
		return
	}
	if len(objects) == 0 || s.everything {
		objects = append(objects, others...)
	}
	for _, name := range objects {
		s.add(at, fieldpath.PathElement{FieldName: &name})
	}
}

// visitList follows a refused field into the items that are desired and in the child. It adds the
// items of others that have the same value in this field as a desired one.
func (s *conflictSearch) visitList(at conflictPlace, desired, live []any, field []string) {
	var inside []string
	if len(field) > 0 {
		inside = field[1:]
	}
	positions, found := at.indexItems(desired), make([]bool, len(desired))
	var others []int
	elements := make([]*fieldpath.PathElement, len(live))
	for i, item := range live {
		element, step := at.element(item)
		if element == nil {
			return // an atomic list or a set
		}
		elements[i] = element
		j, isDesired := positions[step]
		if !isDesired {
			others = append(others, i)
			continue
		}
		found[j] = true
		below := conflictPlace{path: at.below(*element), kind: at.kind, desired: desired[j], live: item}
		below.owned, _ = at.owned.belowStep(step)
		s.visit(below, inside)
	}
	values := map[string]bool{}
	for _, item := range desired {
		values[jsonText(valueAt(item, inside))] = true
	}
	mayReplace := s.everything && slices.Contains(found, false)
	for _, i := range others {
		if mayReplace || len(inside) > 0 && values[jsonText(valueAt(live[i], inside))] {
			s.add(at, *elements[i])
		}
	}
}

// indexItems returns the indexes of the items of the desired list, by their steps.
func (at conflictPlace) indexItems(desired []any) map[string]int {
	indexes := map[string]int{}
	for i, item := range slices.Backward(desired) { // the first of equal ones stays
		if element, step := at.element(item); element != nil {
			indexes[step] = i
		}
	}
	return indexes
}

// jsonText returns the JSON of a value.
func jsonText(value any) (text string) {
	_ = encodeJSON(value, func(json []byte) { text = string(json) })
	return text
}

// element returns the path element of an item of the list, and how managedFields writes it. It is nil
// if the item has none.
func (at conflictPlace) element(item any) (element *fieldpath.PathElement, step string) {
	object, ok := item.(map[string]any)
	if !ok {
		return nil, ""
	}
	keys := at.keys(object)
	for _, step := range at.owned { // the keys of a custom resource's list are in its managedFields
		text, ok := strings.CutPrefix(step.name, "k:")
		if keys != nil || !ok {
			break
		}
		names, _ := parseListKeys(text)
		for _, key := range names {
			keys = withKey(keys, key.name, object[key.name])
		}
	}
	if keys == nil {
		return nil, ""
	}
	list := value.FieldList{}
	for name, each := range keys {
		list = append(list, value.Field{Name: name, Value: value.NewValueInterface(each)})
	}
	list.Sort()
	element = &fieldpath.PathElement{Key: &list}
	step, err := fieldpath.SerializePathElement(*element)
	if err != nil {
		return nil, ""
	}
	return element, step
}

// withKey adds a value to a map, which may be nil.
func withKey(values map[string]any, name string, value any) map[string]any {
	if values == nil {
		values = map[string]any{}
	}
	values[name] = value
	return values
}

// below returns the path of an element of the place.
func (at conflictPlace) below(element fieldpath.PathElement) fieldpath.Path {
	return append(slices.Clip(at.path), element)
}

// add adds an element of a place to the conflicting paths.
func (s *conflictSearch) add(at conflictPlace, element fieldpath.PathElement) {
	s.found.Insert(at.below(element))
}

// isEdited reports whether a desired field is missing in the child, or has another value there.
func isEdited(desired, live map[string]any) bool {
	for name, value := range desired {
		now, exists := live[name]
		switch value.(type) {
		case map[string]any, []any:
			if !exists {
				return true
			}
		default:
			if !exists || !equalValues(value, now) {
				return true
			}
		}
	}
	return false
}

// isMissing reports whether a desired field is missing in the child.
func isMissing(desired, live map[string]any) bool {
	for name := range desired {
		if _, exists := live[name]; !exists {
			return true
		}
	}
	return false
}

// valueAt returns the value at a path of fields. It is nil if there is none.
func valueAt(object any, path []string) any {
	for _, name := range path {
		object = fieldValue(object, name)
	}
	return object
}
