package importer

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// lookupPath returns the value at a path of keys. It returns nil if there is none, or if it is
// null.
func lookupPath(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		n = lookupKey(n, name)
	}
	return n
}

func lookupKey(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].ShortTag() != "!!null" {
			return n.Content[i+1]
		}
	}
	return nil
}

// entry is one key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

func entriesOf(n *yaml.Node) []entry {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	all := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		all = append(all, entry{n.Content[i], n.Content[i+1]})
	}
	return all
}

func itemsOf(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// scalarText returns the text of a scalar, and "" for any other node.
func scalarText(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

func scalarTexts(n *yaml.Node) []string {
	var all []string
	for _, item := range itemsOf(n) {
		all = append(all, item.Value)
	}
	return all
}

func isTrue(n *yaml.Node) bool {
	return n != nil && n.ShortTag() == "!!bool" && (n.Value == "true" || n.Value == "True" || n.Value == "TRUE")
}

// mapping builds a YAML mapping.
type mapping struct{ *yaml.Node }

func newMapping() mapping { return mapping{&yaml.Node{Kind: yaml.MappingNode}} }

// set appends a key with its value. It does nothing if the value is nil.
func (m mapping) set(name string, value *yaml.Node) {
	if value != nil {
		m.Content = append(m.Content, textNode(name), value)
	}
}

func (m mapping) isEmpty() bool { return len(m.Content) == 0 }

// nodeOrNil returns the mapping, or nil if it has no keys.
func (m mapping) nodeOrNil() *yaml.Node {
	if m.isEmpty() {
		return nil
	}
	return m.Node
}

// flowNode returns the mapping in flowNode style, on one line: {kind: Echo}.
func (m mapping) flowNode() *yaml.Node {
	m.Style = yaml.FlowStyle
	return m.Node
}

func textNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func boolNode(value bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}
	if value {
		n.Value = "true"
	}
	return n
}

// textListNode returns texts as a list in flow style: [a, b].
func textListNode(values []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, value := range values {
		n.Content = append(n.Content, textNode(value))
	}
	return n
}

// sameValue reports whether two nodes have the same value. The order of keys does not matter.
func sameValue(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return a.Value == b.Value && a.ShortTag() == b.ShortTag()
	case yaml.MappingNode:
		return !slices.ContainsFunc(entriesOf(a), func(e entry) bool { return !sameValue(e.value, lookupKey(b, e.key.Value)) })
	}
	for i := range a.Content {
		if !sameValue(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
