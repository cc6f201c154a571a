package importer

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// write returns the nodes of a spec file as text.
func write(n *yaml.Node) []byte {
	var w writer
	w.mapping(n, "", false)
	return []byte(w.String())
}

// writer writes YAML in the style of spec files: lists are not indented, and the comment of a key, its
// description, stands above it.
type writer struct{ strings.Builder }

// mapping writes the keys of a mapping, each on its line. The first follows what is on the line already when the
// mapping is an element of a list.
func (w *writer) mapping(n *yaml.Node, indent string, started bool) {
	for i, e := range entries(n) {
		w.comment(e.key.HeadComment, indent)
		if i > 0 || !started {
			w.WriteString(indent)
		}
		w.WriteString(textValue(e.key.Value, "", true) + ":")
		w.value(e.value, indent)
	}
}

func (w *writer) comment(text, indent string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		w.WriteString(indent + "#")
		if line != "" {
			w.WriteString(" " + line)
		}
		w.WriteByte('\n')
	}
}

// value writes what follows a key.
func (w *writer) value(n *yaml.Node, indent string) {
	switch {
	case n.Kind == yaml.ScalarNode || len(n.Content) == 0 || n.Style&yaml.FlowStyle != 0:
		w.WriteString(" " + inline(n, indent+"  ", false) + "\n")
	case n.Kind == yaml.MappingNode:
		w.WriteByte('\n')
		w.mapping(n, indent+"  ", false)
	default:
		w.WriteByte('\n')
		for _, item := range n.Content {
			w.element(item, indent)
		}
	}
}

// element writes an element of a list.
func (w *writer) element(n *yaml.Node, indent string) {
	w.WriteString(indent + "-")
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0:
		w.WriteByte(' ')
		w.mapping(n, indent+"  ", true)
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0:
		n.Style |= yaml.FlowStyle // a list in a list
		w.element(n, indent)
	default:
		w.WriteString(" " + inline(n, indent+"  ", false) + "\n")
	}
}

// inline returns a node on one line, but for the lines of a block.
func inline(n *yaml.Node, indent string, within bool) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entries(n) {
			parts = append(parts, textValue(e.key.Value, "", true)+": "+inline(e.value, indent, true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, inline(item, indent, true))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if tag := n.ShortTag(); tag == "!!str" || tag == "!!timestamp" {
		return textValue(n.Value, indent, within)
	}
	return n.Value
}
