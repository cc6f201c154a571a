package importer

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// writeSpec returns a spec file as text.
func writeSpec(n *yaml.Node) []byte {
	var w writer
	w.writeMapping(n, "", false)
	return []byte(w.String())
}

// writer writes YAML in the style of spec files: lists are not indented, and the comment of a key
// is above it. yaml.Marshal would indent lists, and break long lines.
type writer struct{ strings.Builder }

// writeMapping writes the keys of a mapping, each on its line. If the line is started, as after the
// "- " of an item, the first key continues it.
func (w *writer) writeMapping(n *yaml.Node, indent string, started bool) {
	for i, e := range entriesOf(n) {
		w.writeComment(e.key.HeadComment, indent)
		if i > 0 || !started {
			w.WriteString(indent)
		}
		w.WriteString(textValue(e.key.Value, "", true) + ":")
		w.writeValue(e.value, indent)
	}
}

func (w *writer) writeComment(text, indent string) {
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

// writeValue writes the value of a key, on the same line or below.
func (w *writer) writeValue(n *yaml.Node, indent string) {
	switch {
	case n.Kind == yaml.ScalarNode || len(n.Content) == 0 || n.Style&yaml.FlowStyle != 0:
		w.WriteString(" " + inlineText(n, indent+"  ", false) + "\n")
	case n.Kind == yaml.MappingNode:
		w.WriteByte('\n')
		w.writeMapping(n, indent+"  ", false)
	default:
		w.WriteByte('\n')
		for _, item := range n.Content {
			w.writeItem(item, indent)
		}
	}
}

// writeItem writes one item of a list.
func (w *writer) writeItem(n *yaml.Node, indent string) {
	w.WriteString(indent + "-")
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0:
		w.WriteByte(' ')
		w.writeMapping(n, indent+"  ", true)
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0:
		n.Style |= yaml.FlowStyle // a list in a list
		w.writeItem(n, indent)
	default:
		w.WriteString(" " + inlineText(n, indent+"  ", false) + "\n")
	}
}

// inlineText returns a node on one line. Only a text in a literal block has more lines.
func inlineText(n *yaml.Node, indent string, inFlow bool) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range entriesOf(n) {
			parts = append(parts, textValue(e.key.Value, "", true)+": "+inlineText(e.value, indent, true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, inlineText(item, indent, true))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if tag := n.ShortTag(); tag == "!!str" || tag == "!!timestamp" {
		return textValue(n.Value, indent, inFlow)
	}
	return n.Value
}
