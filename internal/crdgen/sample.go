package crdgen

import (
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// Sample returns a valid object of a version of an API as YAML, named <kind>-sample. It is made
// from the schema: every required field, and the optional fields of a simple type as far as they
// keep the object valid; the others are comments. Where rules or patterns cannot be guessed, a
// comment says what stands against the object, for its author to complete.
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
	sampler := sampler{validator: validator, root: object}
	var unset []byte
	if root := api.Versions[at].Spec; root != nil {
		sampler.spec(root, schema.Properties["spec"])
		if unset, err = sampler.unsetFields(root, schema.Properties["spec"]); err != nil {
			return nil, err
		}
	}
	text, err := yamltext.Marshal(object) // which ends with the spec
	return slices.Concat(toComplete(validator.Validate(object)), text, unset), err
}

// toComplete is a comment about what is wrong with a sample; empty when nothing is.
func toComplete(errs []string) []byte {
	if len(errs) == 0 {
		return nil
	}
	text := "Complete this object, of which opgen could not guess all:\n" + strings.Join(errs, "\n")
	return []byte("# " + strings.ReplaceAll(text, "\n", "\n#   ") + "\n")
}

// sampler fills in an object.
type sampler struct {
	validator *ObjectValidator
	root      map[string]any
	options   []option
}

// option is an optional field that the sample can show.
type option struct {
	parent map[string]any
	name   string
	value  any
}

// spec sets the spec to its required fields and adds the options that leave it valid, or make it
// so: first those that help by themselves, then, for rules that ask for several at once, those that
// do not harm.
func (s *sampler) spec(node *spec.Schema, schema apiextv1.JSONSchemaProps) {
	s.root["spec"] = s.value("spec", node, schema)
	s.options = s.options[:min(len(s.options), maxOptions)]
	complaints := len(s.validator.Validate(s.root))
	if complaints == 0 && s.allTogether() {
		return
	}
	for _, lenient := range []bool{false, true, false} {
		for _, o := range s.options {
			if _, set := o.parent[o.name]; set {
				continue
			}
			o.parent[o.name] = o.value
			if now := len(s.validator.Validate(s.root)); now < complaints || now == 0 || lenient && now == complaints {
				complaints = now
				continue
			}
			delete(o.parent, o.name)
		}
	}
}

// maxOptions is how many optional fields a sample shows at the most: it is there to be read, and
// the whole object is validated for each of them.
const maxOptions = 64

// allTogether sets all options at once, unless that makes the object invalid.
func (s *sampler) allTogether() bool {
	for _, o := range s.options {
		o.parent[o.name] = o.value
	}
	if len(s.validator.Validate(s.root)) == 0 {
		return true
	}
	for _, o := range s.options {
		delete(o.parent, o.name)
	}
	return false
}

// value returns a value that the schema allows. The node is nil inside of Kubernetes types.
func (s *sampler) value(name string, node *spec.Schema, schema apiextv1.JSONSchemaProps) any {
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
		return s.object(node, schema)
	case "array":
		return s.list(name, node, schema)
	case "boolean":
		return true
	case "integer":
		return int64(numberIn(schema))
	case "number":
		return numberIn(schema)
	case "string":
		return stringIn(name, schema)
	default:
		return map[string]any{}
	}
}

// fixedValue returns the value that a default, an enum or a type of Kubernetes gives.
func fixedValue(node *spec.Schema, schema apiextv1.JSONSchemaProps) (any, bool) {
	if schema.Default != nil {
		return fromJSON(*schema.Default), true
	}
	if len(schema.Enum) > 0 {
		return fromJSON(schema.Enum[0]), true
	}
	if node == nil {
		return nil, false
	}
	switch t := node.Declared().Type; {
	case t == spec.TypeDuration && schema.Pattern == spec.DurationPattern: // and not one of the author's
		return "1m0s", true
	case t == spec.TypeQuantity:
		return "1Gi", true
	}
	return nil, false
}

func fromJSON(raw apiextv1.JSON) any {
	decoded, err := decodeObject([]byte(`{"value":` + string(raw.Raw) + `}`))
	if err != nil {
		return nil // the CRD has been checked: its defaults and enums are JSON
	}
	return decoded["value"]
}

// object returns an object with the required properties, and notes the simple ones of the others as
// options, but none inside of Kubernetes types.
func (s *sampler) object(node *spec.Schema, schema apiextv1.JSONSchemaProps) map[string]any {
	out := map[string]any{}
	if len(schema.Properties) == 0 {
		if least, _ := spec.SizeLimits(&schema); least != nil && schema.AdditionalProperties != nil {
			for i := range *least {
				out[fmt.Sprintf("key%d", i+1)] = s.value("value", nodeBelow(node, ""), valueSchema(schema))
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
			out[name] = s.value(name, nodeBelow(node, name), child)
		} else if node != nil && node.Type == "" && !node.Foreign && isSimple(child) {
			s.options = append(s.options, option{out, name, s.value(name, nodeBelow(node, name), child)})
		}
	}
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

// list returns a list with one item, or as many as there must be.
func (s *sampler) list(name string, node *spec.Schema, schema apiextv1.JSONSchemaProps) []any {
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
		item := s.value(strings.TrimSuffix(name, "s"), nodeBelow(node, ""), *schema.Items.Schema)
		items = append(items, makeDistinct(item, i, schema))
	}
	return items
}

// makeDistinct changes the item at index i so that it differs from the ones before it, where a list
// asks for that.
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

// propertyNames returns the names in the order of the file, or sorted inside of Kubernetes types.
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

// nodeBelow returns the node of a property, or for an empty name the one of items or values; nil
// inside of Kubernetes types.
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
