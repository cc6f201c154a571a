package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// byName returns the type that a schema can be written as by name, one of Kubernetes or of this
// file, and the keywords that this says; empty when there is none.
func (c *typeFinder) byName(u use) (name string, said []string) {
	if known := c.kubernetesType(u.Node); known.name != "" {
		return known.name, keywordsOf(u.Node, func(e entry) bool {
			return e.key.Value == "description" && e.value.Value == known.description && !slices.Contains(u.without, "description")
		})
	}
	if o := c.typeOf(u.Node); o != nil {
		return o.name, keywordsOf(u.Node, o.inheritsKeyword)
	}
	return "", nil
}

// keywordsOf returns the keywords of an object that are those of its type: all but what is laid
// over it.
func keywordsOf(n *yaml.Node, inherited func(e entry) bool) []string {
	var names []string
	for _, e := range entriesOf(n) {
		if !slices.Contains(useKeywords, e.key.Value) || inherited(e) {
			names = append(names, e.key.Value)
		}
	}
	return names
}

// fromType reports whether a description is that of the type which a schema is written as. That of
// a Kubernetes type is written out, as it is nowhere else to be read.
func (c *typeFinder) fromType(n, description *yaml.Node) bool {
	if c.kubernetesType(n).name != "" {
		return false
	}
	o := c.typeOf(n)
	return o != nil && o.says["description"] == valueDigest(description)
}

// convertTypes returns the objects that have names, each with what all of its uses say; nil when
// there are none.
func (c *schemaConverter) convertTypes() *yaml.Node {
	out := newMapping()
	for _, o := range c.repeats.order {
		key, u := textNode(o.name), use{Node: o.describingSchema()}
		for _, e := range entriesOf(u.Node) {
			if slices.Contains(useKeywords, e.key.Value) && !o.inheritsKeyword(e) {
				u.without = append(u.without, e.key.Value)
			}
		}
		if description := lookupKey(u.Node, "description"); !slices.Contains(u.without, "description") && description != nil && isComment(description.Value) {
			key.HeadComment = description.Value
			u.without = append(u.without, "description")
		}
		out.Content = append(out.Content, key, c.convertInline(u, "types."+o.name))
	}
	return out.node()
}

// describingSchema returns the first schema of an object that says what its type says.
func (o *object) describingSchema() *yaml.Node {
	for _, p := range o.places {
		said := 0
		for _, e := range entriesOf(p.node) {
			if o.inheritsKeyword(e) {
				said++
			}
		}
		if said == len(o.says) {
			return p.node
		}
	}
	return o.node
}
