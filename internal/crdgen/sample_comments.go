package crdgen

import (
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// maxShownDepth is the depth to which commented fields have fields. Recursive types have no end.
const maxShownDepth = 4

// unsetFields returns the fields of the spec that a sample leaves out, with the fields below them,
// as a comment to put after the spec. A field of a Kubernetes type has only the fields that the
// type requires.
func (s *sampler) unsetFields(node *spec.Schema, schema apiextv1.JSONSchemaProps) ([]byte, error) {
	set, isObject := s.root["spec"].(map[string]any)
	declared := node.Declared()
	if !isObject || declared.Type != "" || declared.Foreign != "" {
		return nil, nil
	}
	var lines []string
	for _, name := range propertyNames(declared, schema) {
		if _, found := set[name]; found || len(lines) >= maxOptions {
			continue
		}
		text, err := yamltext.Marshal(map[string]any{name: s.wholeValue(name, nodeBelow(declared, name), schema.Properties[name], 0)})
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	comment := commentedOut("  # ", lines)
	if len(set) == 0 { // spec: {} on one line, so the comment repeats the key
		comment = append([]byte("# spec:\n"), commentedOut("#   ", lines)...)
	}
	return comment, nil
}

// commentedOut returns lines as a comment.
func commentedOut(indent string, lines []string) []byte {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return []byte(b.String())
}

// wholeValue returns a value with all fields that the spec file declares, required or not.
func (s *sampler) wholeValue(name string, node *spec.Schema, schema apiextv1.JSONSchemaProps, depth int) any {
	if node != nil {
		node = node.Declared()
	}
	_, fixed := fixedValue(node, schema)
	if fixed || node == nil || node.Type != "" || node.Foreign != "" || schema.XEmbeddedResource || depth >= maxShownDepth {
		return s.valueFor(name, node, schema)
	}
	switch {
	case schema.Type == "object" && len(schema.Properties) > 0:
		fields := map[string]any{}
		for _, field := range propertyNames(node, schema) {
			fields[field] = s.wholeValue(field, nodeBelow(node, field), schema.Properties[field], depth+1)
		}
		return fields
	case schema.Type == "object" && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		return map[string]any{"key": s.wholeValue("value", nodeBelow(node, ""), valueSchema(schema), depth+1)}
	case schema.Type == "array" && schema.Items != nil && schema.Items.Schema.Type == "object":
		return []any{s.wholeValue(strings.TrimSuffix(name, "s"), nodeBelow(node, ""), *schema.Items.Schema, depth+1)}
	}
	return s.valueFor(name, node, schema)
}
