package explore

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// The families of mutations.
const (
	changes    = "change"        // another value
	removes    = "remove"        // nothing in its place
	empties    = "empty"         // an empty value
	extends    = "extend"        // more in a list or a map
	reorders   = "reorder"       // of an atomic list or a set
	shuffles   = "reorder items" // of a list-map, whose order has no owner
	rekeys     = "change key"    // of an item of a list-map
	strips     = "strip"         // of the runtime's own labels, annotations and references
	alters     = "alter"         // of the same
	copiesOver = "copy"          // of the same, from another child
	wipes      = "wipe"          // of managedFields
	deletes    = "delete"        // of a related object
	shares     = "many managers" // by more than ten field managers
)

// alteration is one change of an object by another client.
type alteration struct {
	at     schemas.Path
	text   string // in place of the path
	family string
	// isGrown says that it adds to a list that has one owner as a whole.
	isGrown bool
	// edits change the content of an object; the first that the API server takes is
	// the mutation. One reports false where it changes nothing.
	edits []func(content map[string]any) bool
}

// name returns the mutation as tests name it.
func (m alteration) name() string {
	text := m.text
	if text == "" {
		text = m.at.String()
	}
	return strings.ReplaceAll(text, "/", "~1") + ": " + m.family
}

// generator generates all mutations of the desired values of an object.
type generator struct{ made []alteration }

// mutationsOf returns the mutations of the desired state of a child with a schema: each value is
// changed, removed, emptied, extended and reordered.
func mutationsOf(desired map[string]any, s schemas.Schema) []alteration {
	var g generator
	for _, name := range slices.Sorted(maps.Keys(desired)) {
		switch name {
		case "apiVersion", "kind", "status":
		case "metadata":
			g.addMetadata(desired[name], s.Field(name))
		default:
			g.addValue(schemas.PathOf(name), desired[name], s.Field(name))
		}
	}
	return g.made
}

// addMetadata adds mutations of labels and annotations. The rest of the metadata is the identity.
func (g *generator) addMetadata(value any, s schemas.Schema) {
	metadata, _ := value.(map[string]any)
	for _, name := range []string{"annotations", "labels"} {
		if below, ok := metadata[name]; ok {
			g.addValue(schemas.PathOf("metadata", name), below, s.Field(name))
		}
	}
}

func (g *generator) addAlteration(at schemas.Path, family string, edits ...func(map[string]any) bool) {
	g.made = append(g.made, alteration{at: at, family: family, edits: edits})
}

func (g *generator) addValue(at schemas.Path, value any, s schemas.Schema) {
	g.addAlteration(at, removes, at.Remove)
	switch value := value.(type) {
	case map[string]any:
		g.addObject(at, value, s)
	case []any:
		g.addList(at, value, s)
	case string:
		g.addScalar(at, value, s)
		if value != "" {
			g.addAlteration(at, empties, setValueAt(at, ""))
		}
	default:
		g.addScalar(at, value, s)
	}
}

func (g *generator) addScalar(at schemas.Path, value any, s schemas.Schema) {
	family := changes
	if len(at) > 1 && isKeyOf(at.Last(), at[len(at)-2]) {
		family = rekeys
	}
	var edits []func(map[string]any) bool
	for _, other := range s.Others(value) {
		edits = append(edits, setValueAt(at, other))
	}
	if len(edits) > 0 {
		g.addAlteration(at, family, edits...)
	}
}

// isKeyOf reports whether a field is a key of the item that it is in.
func isKeyOf(field, item fieldpath.PathElement) bool {
	return field.FieldName != nil && item.Key != nil && slices.ContainsFunc(*item.Key, func(key value.Field) bool { return key.Name == *field.FieldName })
}

func setValueAt(at schemas.Path, value any) func(map[string]any) bool {
	return func(content map[string]any) bool { return at.Set(content, runtime.DeepCopyJSONValue(value)) }
}

func (g *generator) addObject(at schemas.Path, value map[string]any, s schemas.Schema) {
	if len(value) > 0 {
		g.addAlteration(at, empties, setValueAt(at, map[string]any{}))
	}
	if s.IsMap() {
		g.extendMap(at, value, s)
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		g.addValue(at.With(name), value[name], s.Field(name))
	}
}

func (g *generator) extendMap(at schemas.Path, value map[string]any, s schemas.Schema) {
	var like any
	for _, key := range slices.Sorted(maps.Keys(value)) {
		like = value[key]
	}
	var edits []func(map[string]any) bool
	keys, values := s.NewEntries(like)
	for _, key := range keys {
		for _, other := range values {
			edits = append(edits, func(content map[string]any) bool {
				return at.Edit(content, func(old any) (any, bool) {
					object, ok := old.(map[string]any)
					if _, has := object[key]; has || !ok {
						return nil, false
					}
					object[key] = runtime.DeepCopyJSONValue(other)
					return object, true
				})
			})
		}
	}
	g.addAlteration(at, extends, edits...)
}

func (g *generator) addList(at schemas.Path, value []any, s schemas.Schema) {
	if len(value) == 0 {
		return
	}
	g.addAlteration(at, empties, setValueAt(at, []any{}))
	var edits []func(map[string]any) bool
	for _, item := range s.NewItems(value[0]) {
		edits = append(edits, func(content map[string]any) bool {
			return at.Edit(content, func(old any) (any, bool) {
				list, ok := old.([]any)
				return append(slices.Clone(list), runtime.DeepCopyJSONValue(item)), ok
			})
		})
	}
	g.addAlteration(at, extends, edits...)
	g.made[len(g.made)-1].isGrown = s.IsAtomic(value)
	if len(value) > 1 {
		family := reorders
		if len(s.Keys()) > 0 {
			family = shuffles
		}
		g.addAlteration(at, family, func(content map[string]any) bool { return at.Edit(content, reverseList) })
	}
	for i, item := range value {
		g.addItem(at.Then(s.Element(item, i)), item, s.Items())
	}
}

func (g *generator) addItem(at schemas.Path, item any, s schemas.Schema) {
	if object, ok := item.(map[string]any); ok {
		g.addAlteration(at, removes, at.Remove)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			g.addValue(at.With(name), object[name], s.Field(name))
		}
		return
	}
	g.addValue(at, item, s)
}

func reverseList(old any) (any, bool) {
	list, ok := old.([]any)
	list = slices.Clone(list)
	slices.Reverse(list)
	return list, ok && len(list) > 1
}
