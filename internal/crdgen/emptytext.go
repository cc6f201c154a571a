package crdgen

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// addEmptyKeywords adds the keywords to the JSON of a CRD that the spec file sets to the empty
// text, such as format: "". In the API server's types they are the same as an absent keyword.
func addEmptyKeywords(api *spec.API, object map[string]any) {
	body, _ := object["spec"].(map[string]any)
	versions, _ := body["versions"].([]any)
	for i, v := range versions {
		version, _ := v.(map[string]any)
		container, _ := version["schema"].(map[string]any)
		root, _ := container["openAPIV3Schema"].(map[string]any)
		if root == nil || i >= len(api.Versions) {
			continue
		}
		nodes := api.Versions[i]
		properties, _ := root["properties"].(map[string]any)
		setEmptyTexts(nodes.Root, root)
		setEmptyTexts(nodes.Spec, properties["spec"])
		setEmptyTexts(nodes.Status, properties["status"])
	}
}

// setEmptyTexts sets the empty texts of a schema and of all below it.
func setEmptyTexts(s *spec.Schema, value any) {
	object, _ := value.(map[string]any)
	if s == nil || object == nil {
		return
	}
	if s.Use != nil {
		setEmptyTexts(s.Use.Schema, object)
	}
	k := &s.Keywords
	for keyword, text := range map[string]string{"description": k.Description, "format": k.Format, "pattern": k.Pattern, "title": k.Title} {
		if _, isSet := s.At[keyword]; isSet && text == "" {
			setEmptyText(pathElements{keyword}, object)
		}
	}
	for path := range s.At {
		if isFormatOrPattern(path) {
			setEmptyText(splitPath(path), object)
		}
	}
	properties, _ := object["properties"].(map[string]any)
	for _, p := range s.Properties {
		setEmptyTexts(p.Schema, properties[p.Name])
	}
	setEmptyTexts(s.Items, object["items"])
	setEmptyTexts(s.AdditionalProperties, object["additionalProperties"])
}

// isFormatOrPattern reports whether a path leads to a format or a pattern below allOf, anyOf, oneOf
// or not. Structural schemas have no other texts there.
func isFormatOrPattern(path string) bool {
	if !strings.HasSuffix(path, ".format") && !strings.HasSuffix(path, ".pattern") {
		return false
	}
	return slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf", "not"}, func(tree string) bool { return isAtOrBelow(path, tree) })
}

// setEmptyText sets the keyword at a path to "" if it is absent. The spec file has the keyword, so
// an absent one was empty.
func setEmptyText(path pathElements, object map[string]any) {
	keyword := path[len(path)-1]
	var value any = object
	for _, step := range path[:len(path)-1] {
		if items, isList := value.([]any); isList {
			one := pathElements{step}
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
