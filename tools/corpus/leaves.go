package main

import "go.yaml.in/yaml/v3"

// countLeaves counts the fields of a spec file that have no fields below them, and those of them in
// the shorthand.
func countLeaves(text []byte) (all, short int) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return 0, 0
	}
	addLeaves(&doc, &all, &short)
	return all, short
}

func addLeaves(n *yaml.Node, all, short *int) {
	for i, c := range n.Content {
		addLeaves(c, all, short)
		if n.Kind != yaml.MappingNode || i%2 == 0 || n.Content[i-1].Value != "properties" {
			continue
		}
		for j := 1; j < len(c.Content); j += 2 {
			field := c.Content[j]
			switch {
			case field.Kind == yaml.ScalarNode:
				*all, *short = *all+1, *short+1
			case !hasFields(field):
				*all++
			}
		}
	}
}

func hasFields(n *yaml.Node) bool {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Value == "properties" || hasFields(c) {
			return true
		}
	}
	return false
}
