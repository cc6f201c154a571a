package crdgen

import (
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// Sample returns an object of a version of an API as YAML, named <kind>-sample. The spec has every
// required field, and optional fields of simple types if they keep the object valid. The other
// fields are comments:
//
//	spec:
//	  name: example
//	  # resources: {}
//
// A boolean that is optional and has neither a default nor an example is a comment, too, and one that is required is false,
// unless the object is valid only with it: nobody knows what it turns on.
//
// Of a version with goTypes: true, it has those optional fields only that have a default or an
// example: the markers there say little of what the others mean.
//
// If Sample finds no value for a rule or a pattern, a comment at the top lists what the author has
// to complete.
func Sample(api *spec.API, version string) ([]byte, error) {
	types, problems := resolveTypes(api.EmbeddedMetadata, api.Versions...)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	crd, _ := buildCRD(api, types)
	at := slices.IndexFunc(api.Versions, func(v spec.Version) bool { return v.Name == version })
	if at < 0 {
		return nil, fmt.Errorf("%s has no version %q", api.Names.Kind, version)
	}
	schema := crd.Spec.Versions[at].Schema.OpenAPIV3Schema
	validator, err := NewObjectValidator(schema)
	if err != nil {
		return nil, err
	}
	object := map[string]any{
		"apiVersion": api.Group + "/" + version,
		"kind":       api.Names.Kind,
		"metadata":   map[string]any{"name": strings.ToLower(api.Names.Kind) + "-sample"},
	}
	sampler := sampler{validator: validator, root: object, modest: api.Versions[at].GoTypes}
	var unset []byte
	if root := api.Versions[at].Spec; root != nil {
		sampler.setSpec(root, schema.Properties["spec"])
		if unset, err = sampler.unsetFields(root, schema.Properties["spec"]); err != nil {
			return nil, err
		}
	}
	text, err := yamltext.Marshal(object) // spec is the last key, so comments about its fields can follow
	return slices.Concat(completionComment(validator.Validate(object)), text, unset), err
}

// completionComment returns a comment with the errors of a sample, or nil if it is valid.
func completionComment(errs []string) []byte {
	if len(errs) == 0 {
		return nil
	}
	text := "Complete this object: opgen could not find a value for every field.\n" + strings.Join(errs, "\n")
	return []byte("# " + strings.ReplaceAll(text, "\n", "\n#   ") + "\n")
}

// valueFor returns a value that a schema allows. The node is nil inside of Kubernetes types.
func (s *sampler) valueFor(name string, node *spec.Schema, schema apiextv1.JSONSchemaProps) any {
	if fixed, found := fixedValue(node, schema); found {
		return fixed
	}
	switch {
	case schema.XEmbeddedResource:
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "example"}}
	case schema.XIntOrString:
		return int64(1)
	}
	switch schema.Type {
	case "object":
		return s.objectFor(node, schema)
	case "array":
		return s.listFor(name, node, schema)
	case "boolean":
		return false
	case "integer":
		return int64(numberFor(schema))
	case "number":
		return numberFor(schema)
	case "string":
		return stringFor(name, schema)
	default:
		return map[string]any{}
	}
}

// fixedValue returns the value that follows from an example, a default, an enum or a type of
// Kubernetes.
func fixedValue(node *spec.Schema, schema apiextv1.JSONSchemaProps) (any, bool) {
	switch {
	case schema.Example != nil:
		return fromJSON(*schema.Example), true
	case schema.Default != nil:
		return fromJSON(*schema.Default), true
	case len(schema.Enum) > 0:
		return fromJSON(schema.Enum[0]), true
	case node == nil:
		return nil, false
	}
	switch declared := node.Declared(); {
	case declared.Type == spec.TypeDuration && schema.Pattern == spec.DurationPattern: // the author has not set another pattern
		return "1m0s", true
	case declared.Foreign == metaPackage && schema.Type == "string" && schema.Format == "" && schema.Pattern == "": // a Duration
		return "1m0s", true
	case declared.Type == spec.TypeQuantity, declared.Foreign == resourcePackage:
		return "1Gi", true
	}
	return nil, false
}

// The packages of metav1.Duration and resource.Quantity.
const (
	metaPackage     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcePackage = "k8s.io/apimachinery/pkg/api/resource"
)

func fromJSON(raw apiextv1.JSON) any {
	decoded, err := decodeObject([]byte(`{"value":` + string(raw.Raw) + `}`))
	if err != nil {
		return nil // the CRD has been checked: its defaults and enums are JSON
	}
	return decoded["value"]
}

// objectFor returns an object with the required properties, and adds the simple ones of the others
// to the options, except for those of Kubernetes types.
func (s *sampler) objectFor(node *spec.Schema, schema apiextv1.JSONSchemaProps) map[string]any {
	out := map[string]any{}
	if len(schema.Properties) == 0 {
		if least, _ := spec.SizeLimits(&schema); least != nil && schema.AdditionalProperties != nil {
			for i := range *least {
				out[fmt.Sprintf("key%d", i+1)] = s.valueFor("value", nodeBelow(node, ""), valueSchema(schema))
			}
		}
		return out
	}
	if node != nil {
		node = node.Declared()
	}
	for _, name := range propertyNames(node, schema) {
		child := schema.Properties[name]
		if slices.Contains(schema.Required, name) {
			out[name] = s.valueFor(name, nodeBelow(node, name), child)
			if out[name] == false {
				s.switches = append(s.switches, option{parent: out, name: name, value: true})
			}
		} else if node != nil && node.Type == "" && node.Foreign == "" && isSimple(child) {
			made := option{out, name, s.valueFor(name, nodeBelow(node, name), child), child.Default != nil || child.Example != nil}
			if made.isSwitch() {
				made.value = true // only where a rule needs it
			}
			s.options = append(s.options, made)
		}
	}
	s.completeKubernetes(out, schema)
	return out
}

// isSimple reports whether an optional field is worth showing: a scalar, or a list of scalars.
func isSimple(schema apiextv1.JSONSchemaProps) bool {
	switch schema.Type {
	case "string", "integer", "number", "boolean":
		return true
	case "array":
		return schema.Items != nil && schema.Items.Schema.Type != "array" && isSimple(*schema.Items.Schema)
	default:
		return schema.XIntOrString
	}
}

// listFor returns a list with one item, or as many as the schema requires.
func (s *sampler) listFor(name string, node *spec.Schema, schema apiextv1.JSONSchemaProps) []any {
	least, most := spec.SizeLimits(&schema)
	if schema.Items == nil || most != nil && *most == 0 {
		return []any{}
	}
	n := int64(1)
	if least != nil {
		n = max(n, *least)
	}
	items := make([]any, 0, n)
	for i := range n {
		item := s.valueFor(strings.TrimSuffix(name, "s"), nodeBelow(node, ""), *schema.Items.Schema)
		items = append(items, makeDistinct(item, i, schema))
	}
	return items
}

// makeDistinct returns the item at index i, changed if items of the list have to differ: name,
// name-2.
func makeDistinct(item any, i int64, schema apiextv1.JSONSchemaProps) any {
	if i == 0 || schema.XListType == nil || *schema.XListType == "atomic" {
		return item
	}
	switch v := item.(type) {
	case string:
		if len(schema.Items.Schema.Enum) > int(i) {
			return fromJSON(schema.Items.Schema.Enum[i])
		}
		return fmt.Sprintf("%s-%d", v, i+1)
	case int64:
		return v + i
	case map[string]any:
		for _, key := range schema.XListMapKeys {
			property := schema.Items.Schema.Properties[key]
			list := apiextv1.JSONSchemaProps{XListType: schema.XListType, Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &property}}
			v[key] = makeDistinct(v[key], i, list)
		}
	}
	return item
}

// propertyNames returns the names of properties, in the order of the spec file, or sorted inside of
// Kubernetes types.
func propertyNames(node *spec.Schema, schema apiextv1.JSONSchemaProps) []string {
	var names []string
	if node == nil || len(node.Properties) == 0 {
		for name := range schema.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	for _, p := range node.Properties {
		names = append(names, p.Name)
	}
	return names
}

// nodeBelow returns the node of a property, or for an empty name that of items or values. It
// returns nil inside of Kubernetes types.
func nodeBelow(node *spec.Schema, name string) *spec.Schema {
	if node != nil {
		node = node.Declared()
	}
	switch {
	case node == nil || node.Type != "":
		return nil
	case name != "":
		return node.Property(name)
	case node.Items != nil:
		return node.Items
	default:
		return node.AdditionalProperties
	}
}

func valueSchema(schema apiextv1.JSONSchemaProps) apiextv1.JSONSchemaProps {
	if schema.AdditionalProperties.Schema == nil {
		return apiextv1.JSONSchemaProps{Type: "string"}
	}
	return *schema.AdditionalProperties.Schema
}
