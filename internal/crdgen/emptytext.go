package crdgen

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// emptyTexts are the keywords that can be said to be empty, as in format: "". The types of Kubernetes cannot tell that
// from a keyword that is absent.
var emptyTexts = []string{"description", "format", "pattern", "title"}

// keepEmptyTexts sets in the JSON of a CRD the texts that the API says to be empty.
func keepEmptyTexts(api *spec.API, object map[string]any) {
	body, _ := object["spec"].(map[string]any)
	versions, _ := body["versions"].([]any)
	for i, v := range versions {
		version, _ := v.(map[string]any)
		container, _ := version["schema"].(map[string]any)
		root, _ := container["openAPIV3Schema"].(map[string]any)
		if root == nil || i >= len(api.Versions) {
			continue
		}
		said := api.Versions[i]
		properties, _ := root["properties"].(map[string]any)
		sayEmptyTexts(said.Root, root)
		sayEmptyTexts(said.Spec, properties["spec"])
		sayEmptyTexts(said.Status, properties["status"])
	}
}

// sayEmptyTexts does so for a schema and those in it.
func sayEmptyTexts(s *spec.Schema, value any) {
	object, _ := value.(map[string]any)
	if s == nil || object == nil {
		return
	}
	if s.Use != nil {
		sayEmptyTexts(s.Use.Schema, object)
	}
	for path := range s.At {
		if isEmptyText(path) {
			sayEmptyText(split(path), object)
		}
	}
	properties, _ := object["properties"].(map[string]any)
	for _, p := range s.Properties {
		sayEmptyTexts(p.Schema, properties[p.Name])
	}
	sayEmptyTexts(s.Items, object["items"])
	sayEmptyTexts(s.AdditionalProperties, object["additionalProperties"])
}

// isEmptyText tells whether a path of a schema's own keywords leads to a text that can be said to be empty. Values, such
// as a default, have none.
func isEmptyText(path string) bool {
	if !slices.Contains(emptyTexts, path[strings.LastIndexByte(path, '.')+1:]) {
		return false
	}
	return !slices.ContainsFunc([]string{"default", "example", "enum"}, func(value string) bool { return within(path, value) })
}

// sayEmptyText sets the text at a path if nothing is there: what the file says of it is then that it is empty.
func sayEmptyText(path steps, object map[string]any) {
	keyword := path[len(path)-1]
	var value any = object
	for _, step := range path[:len(path)-1] {
		if items, isList := value.([]any); isList {
			one := steps{step}
			if i := one.index(); i < len(items) {
				value = items[i]
				continue
			}
			return
		}
		fields, _ := value.(map[string]any)
		value = fields[strings.Trim(step, `["`)]
	}
	if fields, _ := value.(map[string]any); fields != nil {
		if _, there := fields[keyword]; !there {
			fields[keyword] = ""
		}
	}
}
