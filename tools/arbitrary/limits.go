package arbitrary

import (
	"encoding/json"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// limits are what holds for one value: the keywords of its node, and those of the branches that
// were chosen of logical operators there and above, each as tight as all of them together.
type limits struct {
	props
	patterns, formats []string
	forbidden         map[string]bool // fields
	excluded          []any           // values
	branches          []*props        // what says something of the fields, items or values below
	literals          []string        // of CEL rules that see the value
}

// expand chooses a branch of each logical operator and puts together what then holds.
func (m *chooser) expand(n *node, also []*props) limits {
	l := limits{forbidden: map[string]bool{}, literals: n.literals}
	l.XIntOrString = n.schema.XIntOrString
	queue := append([]*props{n.schema}, also...)
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		l.tighten(p)
		if p != n.schema {
			l.branches = append(l.branches, p)
		}
		for j := range p.AllOf {
			queue = append(queue, &p.AllOf[j])
		}
		if len(p.AnyOf) > 0 {
			queue = append(queue, &p.AnyOf[m.next(n, len(p.AnyOf))])
		}
		if len(p.OneOf) > 0 {
			chosen := m.next(n, len(p.OneOf))
			queue = append(queue, &p.OneOf[chosen])
			for j := range p.OneOf {
				if j != chosen {
					m.avoid(&l, &p.OneOf[j], p.OneOf[chosen].Required)
				}
			}
		}
		if p.Not != nil {
			m.avoid(&l, p.Not, nil)
		}
	}
	for _, name := range l.Required {
		delete(l.forbidden, name)
	}
	return l
}

// avoid makes it likely that a branch does not hold.
func (m *chooser) avoid(l *limits, branch *props, wanted []string) {
	for i := range branch.AnyOf {
		m.avoid(l, &branch.AnyOf[i], wanted)
	}
	for _, raw := range branch.Enum {
		l.excluded = append(l.excluded, decodeJSON(raw))
	}
	others := slices.DeleteFunc(slices.Clone(branch.Required), func(name string) bool { return slices.Contains(wanted, name) })
	if len(others) > 0 && len(branch.Properties) == 0 {
		l.forbidden[others[m.random.IntN(len(others))]] = true
	}
}

// tighten adds the keywords of one schema.
func (l *limits) tighten(p *props) {
	if l.Type == "" {
		l.Type = p.Type
	}
	if p.Pattern != "" {
		l.patterns = append(l.patterns, p.Pattern)
	}
	if p.Format != "" {
		l.formats = append(l.formats, p.Format)
	}
	if l.Default == nil {
		l.Default = p.Default
	}
	l.Required = append(l.Required, p.Required...)
	l.Enum = commonValues(l.Enum, p.Enum)
	if p.Minimum != nil && (l.Minimum == nil || *p.Minimum >= *l.Minimum) {
		l.ExclusiveMinimum = p.ExclusiveMinimum || l.ExclusiveMinimum && l.Minimum != nil && *p.Minimum == *l.Minimum
		l.Minimum = p.Minimum
	}
	if p.Maximum != nil && (l.Maximum == nil || *p.Maximum <= *l.Maximum) {
		l.ExclusiveMaximum = p.ExclusiveMaximum || l.ExclusiveMaximum && l.Maximum != nil && *p.Maximum == *l.Maximum
		l.Maximum = p.Maximum
	}
	if p.MultipleOf != nil {
		l.MultipleOf = p.MultipleOf
	}
	l.MinLength, l.MaxLength = higherLimit(l.MinLength, p.MinLength), lowerLimit(l.MaxLength, p.MaxLength)
	l.MinItems, l.MaxItems = higherLimit(l.MinItems, p.MinItems), lowerLimit(l.MaxItems, p.MaxItems)
	l.MinProperties, l.MaxProperties = higherLimit(l.MinProperties, p.MinProperties), lowerLimit(l.MaxProperties, p.MaxProperties)
}

func higherLimit(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func lowerLimit(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

func commonValues(a, b []apiextv1.JSON) []apiextv1.JSON {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	return slices.DeleteFunc(slices.Clone(a), func(x apiextv1.JSON) bool {
		return !slices.ContainsFunc(b, func(y apiextv1.JSON) bool { return isSameJSON(decodeJSON(x), decodeJSON(y)) })
	})
}

// field returns what the branches say of a field.
func (l *limits) field(name string) []*props {
	var found []*props
	for _, branch := range l.branches {
		if p, said := branch.Properties[name]; said {
			found = append(found, &p)
		}
	}
	return found
}

// items returns what the branches say of the items.
func (l *limits) items() []*props {
	var found []*props
	for _, branch := range l.branches {
		if branch.Items != nil && branch.Items.Schema != nil {
			found = append(found, branch.Items.Schema)
		}
	}
	return found
}

// values returns what the branches say of the values of a map.
func (l *limits) values() []*props {
	var found []*props
	for _, branch := range l.branches {
		if branch.AdditionalProperties != nil && branch.AdditionalProperties.Schema != nil {
			found = append(found, branch.AdditionalProperties.Schema)
		}
	}
	return found
}

// isSameJSON reports whether two values are the same JSON.
func isSameJSON(a, b any) bool { return jsonText(a) == jsonText(b) }

func jsonText(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error() // cannot happen: the values were decoded from JSON or made for it
	}
	return string(out)
}
