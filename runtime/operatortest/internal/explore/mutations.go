package explore

import (
	"maps"
	"slices"
	"strings"
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
	shares     = "many managers" // by more than ten field managers
)

// alteration is one change of an object by another client.
type alteration struct {
	at     path
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
func mutationsOf(desired map[string]any, s shape) []alteration {
	var g generator
	for _, name := range slices.Sorted(maps.Keys(desired)) {
		switch name {
		case "apiVersion", "kind", "status":
		case "metadata":
			g.addMetadata(desired[name], s.field(name))
		default:
			g.addValue(path{{field: name}}, desired[name], s.field(name))
		}
	}
	return g.made
}

// addMetadata adds mutations of labels and annotations. The rest of the metadata is the identity.
func (g *generator) addMetadata(value any, s shape) {
	metadata, _ := value.(map[string]any)
	for _, name := range []string{"annotations", "labels"} {
		if below, ok := metadata[name]; ok {
			g.addValue(path{{field: "metadata"}, {field: name}}, below, s.field(name))
		}
	}
}

func (g *generator) addAlteration(at path, family string, edits ...func(map[string]any) bool) {
	g.made = append(g.made, alteration{at: at, family: family, edits: edits})
}

func (g *generator) addValue(at path, value any, s shape) {
	g.addAlteration(at, removes, at.remove)
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

func (g *generator) addScalar(at path, value any, s shape) {
	family := changes
	if len(at) > 1 && at[len(at)-2].keys != nil {
		if _, isKey := at[len(at)-2].keys[at[len(at)-1].field]; isKey {
			family = rekeys
		}
	}
	var edits []func(map[string]any) bool
	for _, other := range s.others(value) {
		edits = append(edits, setValueAt(at, other))
	}
	if len(edits) > 0 {
		g.addAlteration(at, family, edits...)
	}
}

func setValueAt(at path, value any) func(map[string]any) bool {
	return func(content map[string]any) bool { return at.set(content, deepCopy(value)) }
}

func (g *generator) addObject(at path, value map[string]any, s shape) {
	if len(value) > 0 {
		g.addAlteration(at, empties, setValueAt(at, map[string]any{}))
	}
	if s.isMap() {
		g.extendMap(at, value, s)
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		g.addValue(at.with(step{field: name}), value[name], s.field(name))
	}
}

func (g *generator) extendMap(at path, value map[string]any, s shape) {
	var like any
	for _, key := range slices.Sorted(maps.Keys(value)) {
		like = value[key]
	}
	var edits []func(map[string]any) bool
	keys, values := s.entries(like)
	for _, key := range keys {
		for _, other := range values {
			edits = append(edits, func(content map[string]any) bool {
				return at.edit(content, func(old any) (any, bool) {
					object, ok := old.(map[string]any)
					if _, has := object[key]; has || !ok {
						return nil, false
					}
					object[key] = deepCopy(other)
					return object, true
				})
			})
		}
	}
	g.addAlteration(at, extends, edits...)
}

func (g *generator) addList(at path, value []any, s shape) {
	if len(value) == 0 {
		return
	}
	g.addAlteration(at, empties, setValueAt(at, []any{}))
	var edits []func(map[string]any) bool
	for _, item := range s.item(value[0]) {
		edits = append(edits, func(content map[string]any) bool {
			return at.edit(content, func(old any) (any, bool) {
				list, ok := old.([]any)
				return append(slices.Clone(list), deepCopy(item)), ok
			})
		})
	}
	g.addAlteration(at, extends, edits...)
	g.made[len(g.made)-1].isGrown = s.isAtomic(value)
	if len(value) > 1 {
		family := reorders
		if len(s.keys()) > 0 {
			family = shuffles
		}
		g.addAlteration(at, family, func(content map[string]any) bool { return at.edit(content, reverseList) })
	}
	for i, item := range value {
		g.addItem(at.with(s.stepTo(item, i)), item, s.items())
	}
}

func (g *generator) addItem(at path, item any, s shape) {
	if object, ok := item.(map[string]any); ok {
		g.addAlteration(at, removes, at.remove)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			g.addValue(at.with(step{field: name}), object[name], s.field(name))
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
