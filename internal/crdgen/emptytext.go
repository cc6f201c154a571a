package crdgen

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// keepEmptyTexts sets in the JSON of a CRD the texts that the API says to be empty, as in format:
// "". The types of Kubernetes cannot tell that from a keyword that is absent.
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
	k := &s.Keywords
	for keyword, text := range map[string]string{"description": k.Description, "format": k.Format, "pattern": k.Pattern, "title": k.Title} {
		if _, said := s.At[keyword]; said && text == "" {
			sayEmptyText(steps{keyword}, object)
		}
	}
	for path := range s.At {
		if isTextOfTree(path) {
			sayEmptyText(splitPath(path), object)
		}
	}
	properties, _ := object["properties"].(map[string]any)
	for _, p := range s.Properties {
		sayEmptyTexts(p.Schema, properties[p.Name])
	}
	sayEmptyTexts(s.Items, object["items"])
	sayEmptyTexts(s.AdditionalProperties, object["additionalProperties"])
}

// isTextOfTree reports whether a path leads to a format or a pattern below allOf, anyOf, oneOf or
// not: structural schemas have no other texts there.
func isTextOfTree(path string) bool {
	if !strings.HasSuffix(path, ".format") && !strings.HasSuffix(path, ".pattern") {
		return false
	}
	return slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf", "not"}, func(tree string) bool { return isAtOrBelow(path, tree) })
}

// sayEmptyText sets the text at a path if nothing is there: what the file says of it is then that
// it is empty.
func sayEmptyText(path steps, object map[string]any) {
	keyword := path[len(path)-1]
	var value any = object
	for _, step := range path[:len(path)-1] {
		if items, isList := value.([]any); isList {
			one := steps{step}
			if i := one.takeIndex(); i < len(items) {
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
