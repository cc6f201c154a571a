// Package yamltext reads and writes YAML so that equal values give equal bytes, and a string is a
// string to every parser.
package yamltext

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
)

// Marshal returns a value as YAML, with the keys of every mapping in byte order.
//
// The YAML library sorts keys, too, but its order is not transitive where names mix letters and
// digits (p2 < p10 < p1x < p2). Its result would depend on the order in which Go happens to walk
// the map.
//
// It marshals a value through JSON unless it consists of map[string]any, []any, strings, booleans,
// int64 and float64.
func Marshal(value any) ([]byte, error) {
	root, err := nodeOf(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encode := yaml.NewEncoder(&out)
	encode.SetIndent(2)
	encode.CompactSeqIndent()
	if err := encode.Encode(root); err != nil {
		return nil, err
	}
	if err := encode.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// nodeOf returns a value as a node of the YAML library.
func nodeOf(value any) (*yaml.Node, error) {
	switch value := value.(type) {
	case nil:
		return scalarNode("null"), nil
	case string:
		return textNode(value), nil
	case bool:
		return scalarNode(strconv.FormatBool(value)), nil
	case int64:
		return scalarNode(strconv.FormatInt(value, 10)), nil
	case float64:
		return scalarNode(strconv.FormatFloat(value, 'g', -1, 64)), nil
	case []any:
		return sequenceNode(value)
	case map[string]any:
		return mappingNode(value)
	}
	return nodeThroughJSON(value)
}

// scalarNode returns a plain scalar without a tag, which is written without quotes.
func scalarNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: value}
}

// textNode returns a string, in quotes if some parser would read it as another type.
func textNode(value string) *yaml.Node {
	n := scalarNode(value)
	n.Tag = "!!str"
	if !IsText(value) || isLetterBoolean(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func sequenceNode(items []any) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Content: make([]*yaml.Node, 0, len(items))}
	for _, item := range items {
		below, err := nodeOf(item)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, below)
	}
	return n, nil
}

func mappingNode(fields map[string]any) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Content: make([]*yaml.Node, 0, 2*len(fields))}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		below, err := nodeOf(fields[key])
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, textNode(key), below)
	}
	return n, nil
}

// nodeThroughJSON returns the node of a value's JSON.
func nodeThroughJSON(value any) (*yaml.Node, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	switch plain.(type) {
	case nil, string, bool, int64, float64, []any, map[string]any:
		return nodeOf(plain)
	}
	return nil, fmt.Errorf("cannot write %s as YAML", data)
}
