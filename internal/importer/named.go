package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// typeNameOf returns the name of the type that can replace a schema, of Kubernetes or of this file,
// and the keywords that the name implies. It returns "" if there is no such type.
func (c *typeFinder) typeNameOf(s partialSchema) (name string, implied []string) {
	if known := c.kubernetesType(s.Node); known.name != "" {
		return known.name, keywordsOf(s.Node, func(e entry) bool {
			return e.key.Value == "description" && e.value.Value == known.description && !slices.Contains(s.omitted, "description")
		})
	}
	if o := c.repeatedObject(s.Node); o != nil {
		return o.name, keywordsOf(s.Node, o.inheritsKeyword)
	}
	return "", nil
}

// keywordsOf returns the keywords of an object that its type implies: all but perUseKeywords, and
// those of them that are inherited from the type.
func keywordsOf(n *yaml.Node, inherited func(e entry) bool) []string {
	var names []string
	for _, e := range entriesOf(n) {
		if !slices.Contains(perUseKeywords, e.key.Value) || inherited(e) {
			names = append(names, e.key.Value)
		}
	}
	return names
}

// inheritsDescription reports whether a schema becomes the name of a type that has the description
// already. For a Kubernetes type it reports false: the reader of the spec file does not see the
// description of that type, so the field repeats it.
func (c *typeFinder) inheritsDescription(n, description *yaml.Node) bool {
	if c.kubernetesType(n).name != "" {
		return false
	}
	o := c.repeatedObject(n)
	return o != nil && o.agreed["description"] == valueDigest(description)
}

// convertTypes returns the mapping of the spec file's types, or nil if there are none. Each type
// has the keywords that all of its uses have.
func (c *schemaConverter) convertTypes() *yaml.Node {
	out := newMapping()
	for _, o := range c.repeats.order {
		key, s := textNode(o.name), partialSchema{Node: o.representative()}
		for _, e := range entriesOf(s.Node) {
			if slices.Contains(perUseKeywords, e.key.Value) && !o.inheritsKeyword(e) {
				s.omitted = append(s.omitted, e.key.Value)
			}
		}
		if description := lookupKey(s.Node, "description"); !slices.Contains(s.omitted, "description") && description != nil && isComment(description.Value) {
			key.HeadComment = description.Value
			s.omitted = append(s.omitted, "description")
		}
		out.Content = append(out.Content, key, c.convertInline(s, "types."+o.name))
	}
	return out.nodeOrNil()
}

// representative returns the first schema of an object that has all keywords of its type.
func (o *object) representative() *yaml.Node {
	for _, p := range o.occurrences {
		count := 0
		for _, e := range entriesOf(p.node) {
			if o.inheritsKeyword(e) {
				count++
			}
		}
		if count == len(o.agreed) {
			return p.node
		}
	}
	return o.node
}
