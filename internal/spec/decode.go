package spec

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxProblems bounds what one file reports, so that a file that is something else entirely stays readable.
const maxProblems = 1000

// decoder turns the nodes of one file into values and collects what is wrong with them. Every method takes the
// path of its node for messages.
type decoder struct {
	file     string
	src      *source
	problems Problems
	named    map[string]*typeNode // the types that schemas can use, by name
	chain    []string             // the types that are being decoded, each used by the one before
	lenient  bool                 // paths may lead to no field, as the file accepts
}

func (d *decoder) failAt(pos Pos, path, message, hint string) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{Pos: pos, Path: path, Message: message, Hint: hint})
	}
}

func (d *decoder) fail(n *yaml.Node, path, message, hint string) {
	d.failAt(d.src.pos(n), path, message, hint)
}

// keys are what a mapping may hold: a decoder for the value of each key.
type keys map[string]func(n *yaml.Node, path string)

// mapping decodes a mapping. It reports false when n is no mapping at all.
func (d *decoder) mapping(n *yaml.Node, path string, known keys) bool {
	return d.entries(n, path, func(key, value *yaml.Node, path string) {
		decode, ok := known[key.Value]
		if !ok {
			d.fail(key, path, "unknown key", suggestion(key.Value, slices.Sorted(maps.Keys(known))))
			return
		}
		if isNull(value) {
			d.fail(value, path, "has no value", "write one, or leave the key out")
			return
		}
		decode(value, path)
	})
}

// entries calls each with every key of a mapping, once, in the order of the file. It reports false when n is no
// mapping at all.
func (d *decoder) entries(n *yaml.Node, path string, each func(key, value *yaml.Node, path string)) bool {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected a mapping, got "+describe(n), "")
		return false
	}
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			d.fail(key, path, "expected a name as key, got "+describe(key), "quote it")
			continue
		}
		path := join(path, key.Value)
		if line, ok := seen[key.Value]; ok {
			d.fail(key, path, "duplicate key", "the first is on line "+strconv.Itoa(line))
			continue
		}
		seen[key.Value] = key.Line
		each(key, value, path)
	}
	return true
}

// list calls each with every element of a list.
func (d *decoder) list(each func(n *yaml.Node, path string)) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind != yaml.SequenceNode {
			d.fail(n, path, "expected a list, got "+describe(n), "")
			return
		}
		for i, item := range n.Content {
			path := at(path, i)
			if isNull(item) {
				d.fail(item, path, "has no value", "write one, or remove the item")
				continue
			}
			each(item, path)
		}
	}
}

// need reports the keys that a mapping lacks.
func (d *decoder) need(n *yaml.Node, path string, names ...string) {
	for _, name := range names {
		if _, value := lookup(n, name); value == nil {
			d.fail(n, path, "lacks the key "+name, "")
		}
	}
}

// lookup returns the key and the value of a mapping's entry, nil when there is none.
func lookup(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// record notes the position of n and of all that is below it, by path.
func (d *decoder) record(into map[string]Pos, path string, n *yaml.Node) {
	if path != "" {
		into[path] = d.src.pos(n)
	}
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			d.record(into, at(path, i), c)
		case i%2 == 1:
			d.record(into, join(path, n.Content[i-1].Value), c)
		}
	}
}

// join appends a key to a path; keys that are no plain words are quoted.
func join(path, key string) string {
	if key == "" || strings.ContainsAny(key, ".[]\" \t\n") {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe names a node for a message.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return "the text " + strconv.Quote(shorten(n.Value))
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

func quoteShort(text string) string {
	return strconv.Quote(shorten(text))
}
