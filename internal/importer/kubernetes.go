package importer

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// kubernetesType returns the Kubernetes type whose schema an object has, description by description, and the
// keywords that are the type's. What a field says of itself, its description and its default, is laid over it.
func kubernetesType(n *yaml.Node) (name string, used []string) {
	fields := value(n, "properties")
	if fields == nil || len(fields.Content) == 0 {
		return "", nil
	}
	names := make([]string, 0, len(fields.Content)/2)
	for _, e := range entries(fields) {
		names = append(names, e.key.Value)
	}
	description := text(value(n, "description"))
	for _, candidate := range kubetypes.Candidates(names) {
		its, _ := candidate.Schema["description"].(string)
		if description == "" && n.HeadComment == "" && its != "" {
			continue // the type would bring its description along
		}
		if sameSchema(n, candidate.Schema, ownKeywords...) {
			return candidate.Name, typeKeywords(n, description == its && n.HeadComment == "")
		}
	}
	return "", nil
}

// ownKeywords are what a field says of itself, beside its type.
var ownKeywords = []string{"description", "default"}

// typeKeywords are the keywords of an object that its type has: not a default, nor another description.
func typeKeywords(n *yaml.Node, described bool) []string {
	var names []string
	for _, e := range entries(n) {
		if e.key.Value != "default" && (described || e.key.Value != "description") {
			names = append(names, e.key.Value)
		}
	}
	return names
}

// sameSchema tells whether a schema says what the schema of a type says, but for some keywords.
func sameSchema(n *yaml.Node, tree kubetypes.Tree, except ...string) bool {
	if ref, ok := tree["$ref"].(string); ok {
		for _, name := range ownKeywords {
			if !slices.Contains(except, name) && !sameKeyword(name, value(n, name), tree[name]) {
				return false
			}
		}
		return sameSchema(n, kubetypes.TreeOf(ref), ownKeywords...)
	}
	if n.Kind != yaml.MappingNode {
		return false
	}
	keywords := len(tree)
	for _, name := range except {
		if tree[name] != nil {
			keywords--
		}
	}
	for _, e := range entries(n) {
		name := e.key.Value
		switch {
		case slices.Contains(except, name), name != "default" && name != "example" && (isNull(e.value) || isFalse(e.value)):
			continue
		case !sameKeyword(name, e.value, tree[name]):
			return false
		}
		keywords--
	}
	return keywords == 0
}

// sameKeyword tells whether a keyword has the same value in two schemas; nil is none.
func sameKeyword(name string, n *yaml.Node, in any) bool {
	if n == nil || in == nil {
		return n == nil && in == nil
	}
	switch name {
	case "properties":
		fields, ok := in.(map[string]any)
		return ok && len(n.Content) == 2*len(fields) && !slices.ContainsFunc(entries(n), func(e entry) bool {
			field, ok := fields[e.key.Value].(map[string]any)
			return !ok || !sameSchema(e.value, field)
		})
	case "items", "additionalProperties", "not":
		if schema, ok := in.(map[string]any); ok {
			return sameSchema(n, schema)
		}
	case "required":
		names, _ := in.([]any)
		return len(n.Content) == len(names) && !slices.ContainsFunc(n.Content, func(n *yaml.Node) bool {
			return !slices.Contains(names, any(n.Value))
		})
	}
	return sameValue(n, in)
}

// sameValue tells whether a value is what JSON has.
func sameValue(n *yaml.Node, in any) bool {
	switch in := in.(type) {
	case map[string]any:
		return n.Kind == yaml.MappingNode && len(n.Content) == 2*len(in) && !slices.ContainsFunc(entries(n), func(e entry) bool {
			value, ok := in[e.key.Value]
			return !ok || !sameValue(e.value, value)
		})
	case []any:
		if n.Kind != yaml.SequenceNode || len(n.Content) != len(in) {
			return false
		}
		for i, item := range in {
			if !sameValue(n.Content[i], item) {
				return false
			}
		}
		return true
	}
	if n.Kind != yaml.ScalarNode {
		return false
	}
	tag := n.ShortTag()
	switch in := in.(type) {
	case string:
		return n.Value == in && (tag == "!!str" || tag == "!!timestamp")
	case bool:
		return tag == "!!bool" && isTrue(n) == in
	case float64:
		number, err := strconv.ParseFloat(scalarValue(n), 64)
		return err == nil && number == in && (tag == "!!int" || tag == "!!float")
	}
	return tag == "!!null"
}
