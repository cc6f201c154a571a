package arbitrary

import (
	"slices"
)

// mendKeywords makes a value as its keywords have it.
func (m mender) mendKeywords(p *place) {
	v, _ := p.get()
	switch v := v.(type) {
	case map[string]any:
		m.mendObject(p, v)
	case []any:
		m.mendList(p, v)
	default:
		m.renew(p)
	}
}

// mendObject sets what is required, keeps to the number of fields, and then to what logical
// operators say.
func (m mender) mendObject(p *place, v map[string]any) {
	s := p.node.schema
	for _, name := range s.Required {
		if _, there := v[name]; !there {
			m.fill(p, name)
		}
	}
	for range 8 {
		switch n := int64(len(v)); {
		case s.MinProperties != nil && n < *s.MinProperties:
			m.addAny(p)
		case s.MaxProperties != nil && n > *s.MaxProperties:
			m.dropAny(p, v)
		}
	}
	m.hold(p, s, 0)
}

// fill sets a field that is not there, where a value is found for it.
func (m mender) fill(p *place, name string) {
	child := p.child(name)
	if child == nil {
		if v, isObject := valueOf(p).(map[string]any); isObject && preservesUnknown(p.node.schema) {
			v[name] = m.open(1)
		}
		return
	}
	if v, ok := m.value(child.node, nil, m.random.IntN(4)); ok {
		child.set(v)
	}
}

func valueOf(p *place) any {
	v, _ := p.get()
	return v
}

// addAny sets a field or a key that is not there.
func (m mender) addAny(p *place) {
	name := m.key(m.random.IntN(100))
	if len(p.node.names) > 0 {
		name = p.node.names[m.random.IntN(len(p.node.names))]
	}
	if child := p.child(name); child == nil || !isThere(child) {
		m.fill(p, name)
	}
}

func isThere(p *place) bool {
	_, there := p.get()
	return there
}

// dropAny drops a field or a key that need not be there.
func (m mender) dropAny(p *place, v map[string]any) {
	names := slices.DeleteFunc(sortedKeys(v), func(name string) bool { return slices.Contains(p.node.schema.Required, name) })
	if len(names) > 0 {
		delete(v, names[m.random.IntN(len(names))])
	}
}

// mendList keeps to the number of items, and has each only once where the list is a set or a map.
func (m mender) mendList(p *place, v []any) {
	s := p.node.schema
	if s.MaxItems != nil && int64(len(v)) > *s.MaxItems {
		p.set(v[:*s.MaxItems])
		return
	}
	seen := map[string]bool{}
	for i, item := range v {
		key, unique := itemIdentity(p.node, item)
		if !unique || !seen[key] {
			seen[key] = true
			continue
		}
		if at := p.item(i); m.chance(2) {
			m.renew(at)
		} else {
			at.drop()
		}
		return
	}
	if s.MinItems != nil && int64(len(v)) < *s.MinItems {
		m.appendItem(p)
		return
	}
	m.hold(p, s, 0)
}

// appendItem adds an item to a list, and returns its place.
func (m mender) appendItem(p *place) *place {
	list, _ := valueOf(p).([]any)
	if p.node.items == nil {
		return nil
	}
	item, ok := m.value(p.node.items, nil, 2)
	if !ok || !p.set(append(slices.Clone(list), item)) {
		return nil
	}
	return p.item(len(list))
}

// deepest is how far into logical operators within logical operators a value is made to fit.
const deepest = 6

// hold makes a value fit the logical operators of a schema, and what a branch of them says itself.
func (m mender) hold(p *place, s *props, depth int) {
	if depth > deepest || m.holds(s, valueOf(p)) {
		return
	}
	if depth > 0 {
		m.holdOwn(p, s, depth)
	}
	for i := range s.AllOf {
		m.hold(p, &s.AllOf[i], depth+1)
	}
	if len(s.AnyOf) > 0 && !m.holdsAny(p, s.AnyOf) {
		m.hold(p, &s.AnyOf[m.random.IntN(len(s.AnyOf))], depth+1)
	}
	if len(s.OneOf) > 0 {
		chosen := m.random.IntN(len(s.OneOf))
		for i := range s.OneOf {
			if i != chosen {
				m.violate(p, &s.OneOf[i], depth+1)
			}
		}
		m.hold(p, &s.OneOf[chosen], depth+1)
	}
	if s.Not != nil {
		m.violate(p, s.Not, depth+1)
	}
}

func (c *keywordChecker) holdsAny(p *place, branches []props) bool {
	for i := range branches {
		if c.holds(&branches[i], valueOf(p)) {
			return true
		}
	}
	return false
}

// part returns what a branch says of a field, always the same pointer.
func (c *keywordChecker) part(s *props, name string) *props {
	if c.parts[s] == nil {
		c.parts[s] = map[string]*props{}
	}
	if c.parts[s][name] == nil {
		c.parts[s][name] = new(s.Properties[name])
	}
	return c.parts[s][name]
}

// holdOwn makes a value fit what a branch says of it and of its fields.
func (m mender) holdOwn(p *place, s *props, depth int) {
	v, isObject := valueOf(p).(map[string]any)
	if !isObject {
		m.replace(p, []*props{s}, func(v any) bool { return m.holds(s, v) })
		return
	}
	for _, name := range s.Required {
		if _, there := v[name]; !there {
			m.fill(p, name)
		}
	}
	for _, name := range sortedKeys(s.Properties) {
		below := m.part(s, name)
		if child := p.child(name); child != nil && isThere(child) {
			m.hold(child, below, depth+1)
		}
	}
}

// violate makes a value not fit a branch, by one of the things that it says.
func (m mender) violate(p *place, s *props, depth int) {
	if depth > deepest || !m.holds(s, valueOf(p)) {
		return
	}
	var ways []func()
	if s.Not != nil {
		ways = append(ways, func() { m.hold(p, s.Not, depth+1) })
	}
	if len(s.AllOf) > 0 {
		ways = append(ways, func() { m.violate(p, &s.AllOf[m.random.IntN(len(s.AllOf))], depth+1) })
	}
	if len(s.AnyOf) > 0 {
		ways = append(ways, func() {
			for i := range s.AnyOf {
				m.violate(p, &s.AnyOf[i], depth+1)
			}
		})
	}
	for _, name := range s.Required {
		if child := p.child(name); child != nil && child.optional() {
			ways = append(ways, child.drop)
		}
	}
	for _, name := range sortedKeys(s.Properties) {
		below := m.part(s, name)
		child := p.child(name)
		if child == nil {
			continue
		}
		ways = append(ways, func() {
			if !isThere(child) {
				m.fill(p, name)
			}
			m.violate(child, below, depth+1)
		})
	}
	if _, isObject := valueOf(p).(map[string]any); !isObject {
		ways = append(ways, func() { m.replace(p, nil, func(v any) bool { return !m.holds(s, v) }) })
	}
	if len(ways) > 0 {
		ways[m.random.IntN(len(ways))]()
	}
}

// replace sets a value that fits, if one is found.
func (m mender) replace(p *place, also []*props, fits func(any) bool) {
	for range 40 {
		v, ok := m.plain(p.node, m.expand(p.node, also), 2)
		if ok && m.holds(p.node.own, v) && fits(v) {
			p.set(v)
			return
		}
	}
}
