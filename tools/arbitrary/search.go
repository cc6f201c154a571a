package arbitrary

import (
	"slices"
)

// search makes an object with fields. Where rules or logical operators say which fields go
// together, it begins with a random object and mends it.
func (m *Maker) search(n *node, also []*props, budget int) (any, bool) {
	for restart := range 6 {
		s := &object{maker: m, node: n, limits: m.expand(n, also), budget: budget >> restart}
		if !s.begin() {
			continue
		}
		if !n.checked {
			return s.value, true
		}
		if value, ok := m.settle(n, s.value); ok {
			return value, true
		}
	}
	return nil, false
}

// object is an object in the making.
type object struct {
	maker    *Maker
	node     *node
	limits   limits
	budget   int
	value    map[string]any
	optional []string // fields that may be there
	share    int      // of the budget for each field
}

// begin makes the required fields and a random part of the others.
func (o *object) begin() bool {
	m, n := o.maker, o.node
	o.value = map[string]any{}
	for _, name := range n.names {
		if !slices.Contains(o.limits.Required, name) && !o.limits.forbidden[name] && !o.own(name) {
			o.optional = append(o.optional, name)
		}
	}
	m.random.Shuffle(len(o.optional), func(i, j int) { o.optional[i], o.optional[j] = o.optional[j], o.optional[i] })
	// Half of the time the fields that were seen least come first.
	if m.chance(2) {
		slices.SortStableFunc(o.optional, func(a, b string) int { return n.fields[a].visits - n.fields[b].visits })
	}
	count := 0
	if len(o.optional) > 0 {
		count = min(o.budget, []int{0, 1, len(o.optional) / 2, len(o.optional), m.random.IntN(len(o.optional) + 1)}[m.random.IntN(5)])
	}
	o.share = max(0, o.budget-count) / (count + 1)
	for _, name := range o.limits.Required {
		if !o.require(name) {
			return false
		}
	}
	for _, name := range o.optional[:count] {
		o.set(name)
	}
	o.addKubernetes()
	o.addUnknown()
	return true
}

// require sets a required field.
func (o *object) require(name string) bool {
	if o.own(name) {
		return true
	}
	if _, declared := o.node.fields[name]; declared {
		return o.set(name)
	}
	if preservesUnknown(o.node.schema) {
		o.value[name] = o.maker.open(1)
		return true
	}
	return false
}

// set replaces a field.
func (o *object) set(name string) bool {
	value, ok := o.maker.value(o.node.fields[name], o.limits.field(name), o.share)
	if ok {
		o.value[name] = value
	}
	return ok
}

func preservesUnknown(s *props) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// addUnknown adds fields that the schema does not name, where they are kept.
func (o *object) addUnknown() {
	m := o.maker
	if !preservesUnknown(o.node.schema) || o.limits.MaxProperties != nil || m.chance(3) {
		return
	}
	for range 1 + m.random.IntN(3) {
		name := unknownNames[m.random.IntN(len(unknownNames))]
		if _, declared := o.node.fields[name]; !declared && !o.own(name) && !o.limits.forbidden[name] {
			o.value[name] = m.open(3)
		}
	}
}

var unknownNames = []string{"unknown", "x", "Other", "more-of-it", "a.b/c", "", "ünïcödé", "with \"quotes\", and more", "0"}
