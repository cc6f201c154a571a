package arbitrary

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
)

// node is a node of a structural schema.
type node struct {
	schema        *props
	root          bool
	names         []string // of the fields, sorted
	fields        map[string]*node
	items, values *node
	meta          *node              // metadata, of a whole object
	own           *props             // what is said of the value itself
	structural    *schema.Structural // as the API server has it
	rules         []*rule
	checked       bool     // what is made is not valid by the way it is made
	choices       []any    // of a scalar, when only its own schema matters
	literals      []string // of the rules that see the value
	demands       []demand // of rules on a text
	turn          int      // which choice is next
	visits        int
	failures      int // without any success
}

// hopeless is how often a node may fail before nothing more is expected of it.
const hopeless = 3

// node builds the tree of a schema; the literals are those of the rules above it.
func (m *chooser) node(s *props, structural *schema.Structural, root bool, literals []string) (*node, error) {
	n := &node{schema: s, own: ownKeywords(s), structural: structural, root: root, turn: m.random.IntN(1 << 10)}
	n.checked = needsCheck(s, root)
	n.literals = withLiterals(s.XValidations, literals)
	literals = n.literals
	var err error
	if n.rules, err = rulesOf(s.XValidations); err != nil {
		return nil, err
	}
	if root || s.XEmbeddedResource {
		n.structural = model.WithTypeAndObjectMeta(structural)
	}
	n.names = slices.Sorted(maps.Keys(s.Properties))
	n.fields = make(map[string]*node, len(n.names))
	for _, name := range n.names {
		field, below := s.Properties[name], structural.Properties[name]
		if n.fields[name], err = m.node(&field, &below, false, literals); err != nil {
			return nil, err
		}
	}
	if s.Items != nil && s.Items.Schema != nil {
		if n.items, err = m.node(s.Items.Schema, structural.Items, false, literals); err != nil {
			return nil, err
		}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		if n.values, err = m.node(values.Schema, structural.AdditionalProperties.Structural, false, literals); err != nil {
			return nil, err
		}
	}
	if root || s.XEmbeddedResource {
		n.meta, err = m.metaNode(n)
	}
	return n, err
}

// child returns the node of a field or of a value of a map, nil where the schema has none.
func (n *node) child(name string) *node {
	if n.meta != nil && name == "metadata" {
		return n.meta
	}
	if field := n.fields[name]; field != nil {
		return field
	}
	return n.values
}

// needsCheck reports whether a node has rules that values are not made by.
func needsCheck(s *props, root bool) bool {
	if root || len(s.XValidations) > 0 || len(s.AllOf)+len(s.OneOf) > 0 || s.Not != nil {
		return true
	}
	return len(s.AnyOf) > 0 && !s.XIntOrString || len(s.Properties) > 0 && (s.MinProperties != nil || s.MaxProperties != nil)
}

// next returns the next of so many choices: each in its turn, and now and then any.
func (m *chooser) next(n *node, choices int) int {
	if m.chance(4) {
		return m.random.IntN(choices)
	}
	n.turn++
	return n.turn % choices
}

// value makes a value for a node, with what a chosen branch of a logical operator above says of it
// beside, and with about as many values below it as the budget says. It is not ok when none is
// found.
func (m *Maker) value(n *node, also []*props, budget int) (any, bool) {
	if n.failures >= hopeless {
		return nil, false
	}
	n.visits++
	value, ok := m.whole(n, also, budget)
	switch {
	case ok:
		n.failures = -1
	case n.failures >= 0 && m.effort >= 0: // or else it is not the node's fault
		n.failures++
	}
	return value, ok
}

// whole makes values until the node's own rules allow one.
func (m *Maker) whole(n *node, also []*props, budget int) (any, bool) {
	if n.schema.Nullable && m.chance(6) && m.holds(n.own, nil) {
		return nil, true
	}
	if isStruct(n) {
		return m.search(n, also, budget)
	}
	for range 20 {
		value, ok := m.plain(n, m.expand(n, also), budget)
		if ok && n.checked {
			value, ok = m.settle(n, value)
		}
		if ok {
			return value, true
		}
	}
	return nil, false
}

func isStruct(n *node) bool {
	return len(n.names) > 0 || n.root || n.schema.Type == "object" && n.values == nil && n.schema.AdditionalProperties == nil
}

// plain makes a value that is no object with fields.
func (m *Maker) plain(n *node, l limits, budget int) (any, bool) {
	s := n.schema
	switch {
	case s.XIntOrString:
		return m.scalar(n, l)
	case s.Type == "object":
		return m.mapping(n, l, budget)
	case s.Type == "array":
		return m.list(n, l, budget)
	case s.Type == "":
		return m.open(3), true
	default:
		return m.scalar(n, l)
	}
}
