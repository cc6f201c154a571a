package apply

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/internal/listmap"
)

// conflictSearch looks for what others have set in a child and what makes desired,
// applied over it, invalid.
type conflictSearch struct {
	everything bool // also what may be in the way, where something of desired is missing
	found      *fieldpath.Set
}

// conflictPlace is where a search is: the same object or list in desired and in the
// child.
type conflictPlace struct {
	path          fieldpath.Path
	kind          listmap.Type                        // of the object, or of the items of the list
	keys          func(map[string]any) map[string]any // of an item of the list; nil if it is not known
	owned         fieldset                            // of all field managers, below the path
	desired, live any
}

// conflicts returns the paths in a child that are in the way of desired, by the
// fields that the API server refused.
func conflicts(d Desired, object client.Object, live map[string]any, fields []refusedField, everything bool) (*fieldpath.Set, error) {
	all := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 == nil || entry.APIVersion != d.Kind.GroupVersion().String() {
			continue
		}
		set, err := setOf(entry.FieldsV1.GetRawBytes())
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
		search.visit(conflictPlace{kind: listmap.Of(d.Kind), owned: fieldsOf(raw), desired: desired, live: live}, field.path)
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
	below.owned, _ = at.owned.field(name)
	s.visit(below, field[1:])
}

// addReplacing adds the fields of an object that have taken the place of a desired
// one that is missing: objects, such as the sources of a volume, and others only if
// there is no object.
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
	if len(at.path) == 0 { // kind, status and the like
		return
	}
	if len(objects) == 0 || s.everything {
		objects = append(objects, others...)
	}
	for _, name := range objects {
		s.add(at, fieldpath.PathElement{FieldName: &name})
	}
}

// visitList follows a refused field into the items that are desired and in the
// child, and adds the items of others that have the same value in it as one that is
// desired.
func (s *conflictSearch) visitList(at conflictPlace, desired, live []any, field []string) {
	var inside []string
	if len(field) > 0 {
		inside = field[1:]
	}
	found := make([]bool, len(desired))
	var others []int
	elements := make([]*fieldpath.PathElement, len(live))
	for i, item := range live {
		element := at.element(item)
		if element == nil || element.Key == nil {
			return // an atomic list or a set
		}
		elements[i] = element
		j := slices.IndexFunc(desired, func(item any) bool { other := at.element(item); return other != nil && other.Equals(*element) })
		if j < 0 {
			others = append(others, i)
			continue
		}
		found[j] = true
		below := conflictPlace{path: at.below(*element), kind: at.kind, desired: desired[j], live: item}
		if step, err := fieldpath.SerializePathElement(*element); err == nil {
			below.owned, _ = at.owned.at(step)
		}
		s.visit(below, inside)
	}
	for _, i := range others {
		same := slices.ContainsFunc(desired, func(item any) bool { return equal(valueAt(item, inside), valueAt(live[i], inside)) })
		if len(inside) > 0 && same || s.everything && slices.Contains(found, false) {
			s.add(at, *elements[i])
		}
	}
}

// element returns the path element of an item of the list; nil if it has none.
func (at conflictPlace) element(item any) *fieldpath.PathElement {
	object, ok := item.(map[string]any)
	if !ok {
		return nil
	}
	keys := at.keys(object)
	for _, step := range at.owned { // of a custom resource's list, they tell by what its items differ
		text, ok := strings.CutPrefix(step.name, "k:")
		if keys != nil || !ok {
			break
		}
		names, _ := listKeys(text)
		for _, key := range names {
			keys = with(keys, key.name, object[key.name])
		}
	}
	if keys == nil {
		return nil
	}
	list := value.FieldList{}
	for name, each := range keys {
		list = append(list, value.Field{Name: name, Value: value.NewValueInterface(each)})
	}
	list.Sort()
	return &fieldpath.PathElement{Key: &list}
}

func with(values map[string]any, name string, value any) map[string]any {
	if values == nil {
		values = map[string]any{}
	}
	values[name] = value
	return values
}

func (at conflictPlace) below(element fieldpath.PathElement) fieldpath.Path {
	return append(slices.Clip(at.path), element)
}

// add notes that something at a place is in the way.
func (s *conflictSearch) add(at conflictPlace, element fieldpath.PathElement) {
	s.found.Insert(at.below(element))
}

// isEdited reports whether a field of desired is missing in the child, or has another
// value there.
func isEdited(desired, live map[string]any) bool {
	for name, value := range desired {
		now, exists := live[name]
		switch value.(type) {
		case map[string]any, []any:
			if !exists {
				return true
			}
		default:
			if !exists || !equal(value, now) {
				return true
			}
		}
	}
	return false
}

// isMissing reports whether a field of desired is missing in the child.
func isMissing(desired, live map[string]any) bool {
	for name := range desired {
		if _, exists := live[name]; !exists {
			return true
		}
	}
	return false
}

// valueAt returns what is at a path of fields; nil where there is nothing.
func valueAt(object any, path []string) any {
	for _, name := range path {
		object = field(object, name)
	}
	return object
}
