package main

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// keywords are what the schemas of a spec may say: the keywords of OpenAPI as CRDs have them, and
// names in Go.
var keywords = func() map[string]bool {
	known := map[string]bool{"goName": true, "goConstants": true}
	props := reflect.TypeFor[apiextv1.JSONSchemaProps]()
	for i := range props.NumField() {
		name, _, _ := strings.Cut(props.Field(i).Tag.Get("json"), ",")
		known[name] = true
	}
	return known
}()

// verbatimPlaces returns the places of a spec file where a schema has something else than these,
// empty when there is none.
func verbatimPlaces(text []byte) []string {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return []string{err.Error()}
	}
	var found []string
	for name, n := range mapEntries(doc.Content[0]) {
		if name == "types" {
			noteForeignInMap(n, "types", &found)
		}
		if name != "versions" {
			continue
		}
		for _, version := range n.Content {
			for key, value := range mapEntries(version) {
				if key == "schema" || key == "spec" || key == "status" {
					noteForeignKeys(value, key, &found)
				}
			}
		}
	}
	return found
}

// noteForeignKeys notes the keys of a schema, and of those in it, that are no keywords.
func noteForeignKeys(n *yaml.Node, path string, found *[]string) {
	for key, value := range mapEntries(n) {
		switch below := path + "." + key; {
		case !keywords[key]:
			*found = append(*found, below)
		case key == "properties":
			noteForeignInMap(value, below, found)
		case key == "items", key == "additionalProperties", key == "not":
			noteForeignKeys(value, below, found)
		case key == "allOf", key == "anyOf", key == "oneOf":
			for _, branch := range value.Content {
				noteForeignKeys(branch, below, found)
			}
		}
	}
}

// noteForeignInMap looks at each value of a mapping.
func noteForeignInMap(n *yaml.Node, path string, found *[]string) {
	for name, value := range mapEntries(n) {
		noteForeignKeys(value, path+"."+name, found)
	}
}

// mapEntries yields the keys and values of a mapping, none for anything else, such as the
// shorthand.
func mapEntries(n *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}
