package managedfields

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Extract returns the part of an object that a set of paths leads to. It shares values with the object.
func Extract(set *fieldpath.Set, object map[string]any) map[string]any {
	part, _ := extractBelow(set, &Value{Value: object, Exists: true}).(map[string]any)
	return part
}

// extractBelow returns the part of a value that the paths of a set lead to.
func extractBelow(set *fieldpath.Set, whole *Value) any {
	fields, items := map[string]any{}, map[int]any{}
	eachElement(set, func(element fieldpath.PathElement, below *fieldpath.Set) {
		at := whole.Follow(element)
		if !at.Exists {
			return
		}
		part := at.Value
		if below != nil {
			part = extractBelow(below, &at)
		}
		if element.FieldName != nil {
			fields[*element.FieldName] = part
		} else {
			items[at.Index] = part
		}
	})
	if _, isList := whole.Value.([]any); !isList {
		return fields
	}
	list := make([]any, 0, len(items))
	for _, i := range slices.Sorted(maps.Keys(items)) {
		list = append(list, items[i])
	}
	return list
}

// ValueAt returns what an object has at a path.
func ValueAt(object map[string]any, path fieldpath.Path) Value {
	at := Value{Value: object, Exists: true}
	for _, element := range path {
		if at = at.Follow(element); !at.Exists {
			return Value{}
		}
	}
	return at
}

// WithValueAt returns an object with another value at a path, whose fields and items above the last one exist. It
// shares the rest with the object, which it does not change.
func WithValueAt(object any, path fieldpath.Path, value any) any {
	if len(path) == 0 {
		return value
	}
	whole := Value{Value: object, Exists: true}
	at := whole.Follow(path[0])
	changed := WithValueAt(at.Value, path[1:], value)
	switch object := object.(type) {
	case map[string]any:
		object = maps.Clone(object)
		object[*path[0].FieldName] = changed
		return object
	case []any:
		object = slices.Clone(object)
		object[at.Index] = changed
		return object
	}
	return object
}
