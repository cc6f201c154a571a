package arbitrary

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"
)

// mostEffort is how often the values of one object are mended, all together, before another object
// is begun.
const mostEffort = 600

// steps is how often a value is mended before another one is tried.
const steps = 150

// settle mends a value until nothing is wrong with it: one fault at a time, as long as no more is
// wrong than before, and now and then although more is. What the API server fills in is there while
// rules are looked at.
func (m *Maker) settle(n *node, value any) (any, bool) {
	p := &place{node: n, index: -1, whole: &value}
	if whole, isObject := value.(map[string]any); isObject {
		filled := any(runtime.DeepCopyJSON(whole))
		defaulting.Default(filled, n.structural)
		if len(m.faults(&place{node: n, index: -1, whole: &filled})) == 0 {
			return value, true // as it is
		}
		value, m.filled = filled, true
	}
	wrong := m.faults(p)
	for range steps {
		if len(wrong) == 0 {
			return value, true
		}
		if m.effort--; m.effort < 0 {
			break
		}
		before := runtime.DeepCopyJSONValue(value)
		mender{m}.mend(wrong[m.random.IntN(len(wrong))])
		defaulting.Default(value, n.structural)
		now := m.faults(p)
		if len(now) > len(wrong) && !m.chance(6) {
			value = before
		} else {
			wrong = now
		}
	}
	if len(wrong) > 0 {
		m.against = ": " + wrong[0].text()
	}
	return value, len(wrong) == 0
}

// mender changes values of an object that are not valid.
type mender struct{ *Maker }

// mend changes something about a fault.
func (m mender) mend(f fault) {
	switch {
	case m.chance(12):
		m.renew(f.at)
	case f.rule == nil:
		m.mendKeywords(f.at)
	default:
		s := scope{places: map[string]*place{"self": f.at}}
		r := &repair{maker: m, rule: f.rule, scope: s, left: 400}
		if !r.make(f.rule.expr, s, true) && m.chance(3) {
			m.renew(f.at)
		}
	}
}

// renew replaces a value or one below it, or drops it.
func (m mender) renew(p *place) {
	for {
		below := p.elements()
		if len(below) == 0 || m.chance(3) {
			break
		}
		p = below[m.random.IntN(len(below))]
	}
	if p.parent != nil && p.optional() && m.chance(2) {
		p.drop()
		return
	}
	if p.parent == nil && p.node.schema.Type == "object" {
		return // the whole is what is being mended
	}
	if v, ok := m.renewed(p); ok {
		p.set(v)
	}
}

// renewed returns another value for a place; it does not mend the whole object, which is being
// mended.
func (m mender) renewed(p *place) (any, bool) {
	if p.parent == nil {
		return m.plain(p.node, m.expand(p.node, nil), 2)
	}
	return m.value(p.node, nil, m.random.IntN(6))
}

// strip takes away some of what the API server fills in again, other than required fields: whoever
// reads an object finds them there.
func (m *Maker) strip(n *node, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if n.items != nil {
				m.strip(n.items, item)
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			below := n.fields[key]
			if below == nil {
				below = n.values
			}
			if below == nil {
				continue
			}
			m.strip(below, v[key])
			d := below.schema.Default
			optional := n.fields[key] != nil && !slices.Contains(n.schema.Required, key)
			if d != nil && optional && isSameJSON(decodeJSON(*d), v[key]) && !m.chance(3) {
				delete(v, key)
			}
		}
	}
}
