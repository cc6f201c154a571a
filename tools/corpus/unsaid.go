package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

// namesUnsaid is what markers cannot say of the names of a kind and the like; its schema can be equal all the same.
var namesUnsaid = []string{"kind", "listKind", "singular", "labels", "served", "subresources"}

// unsaid returns what markers cannot say of the schemas of a CRD, empty when they can say all.
func (s *subject) unsaid() string {
	count := map[string]int{}
	for _, pkg := range s.packages {
		for _, u := range pkg.Unsaid {
			what, _, _ := strings.Cut(u.What, ",")
			if !slices.Contains(namesUnsaid, what) {
				count[what]++
			}
		}
	}
	var all []string
	for what, n := range count {
		all = append(all, fmt.Sprintf("%s (%d)", what, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// cannotSay tells whether markers cannot say something of a kind.
func (s *subject) cannotSay(what string) bool {
	return slices.ContainsFunc(s.packages, func(p crdgen.Package) bool {
		return slices.ContainsFunc(p.Unsaid, func(u crdgen.Unsaid) bool { return u.What == what })
	})
}

// leaveOut removes from a CRD what markers cannot say.
func leaveOut(object map[string]any, packages []crdgen.Package) {
	spec, _ := object["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		schema, _ := version["schema"].(map[string]any)
		root, _ := schema["openAPIV3Schema"].(map[string]any)
		for _, pkg := range packages {
			if pkg.Version != version["name"] {
				continue
			}
			for _, u := range pkg.Unsaid {
				leaveOutOne(object, root, u)
			}
		}
	}
}

func leaveOutOne(object, root map[string]any, u crdgen.Unsaid) {
	spec, _ := object["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	path := strings.Split(u.Path, ".")
	switch u.What {
	case "kind":
		delete(names, "kind")
		delete(names, "listKind")
		delete(names, "singular")
		return
	case "listKind", "singular":
		delete(names, u.What)
		return
	case "labels":
		metadata, _ := object["metadata"].(map[string]any)
		delete(metadata, u.What)
		return
	case "subresources", "served":
		return // an empty one means nothing; controller-gen makes the CRD while it says that no version is served
	case "schema":
		for key := range root {
			if key != "properties" {
				delete(root, key)
			}
		}
		properties, _ := root["properties"].(map[string]any)
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			delete(properties, name)
		}
		if len(properties) == 0 {
			delete(root, "properties")
		}
		return
	}
	node := root
	for rest := path[1:]; len(rest) > 0 && node != nil; {
		node, rest = below(node, rest)
	}
	if node == nil {
		return
	}
	name, undeclared := strings.CutPrefix(u.What, "required ")
	switch {
	case undeclared:
		name, _, _ = strings.Cut(name, ",")
		required, _ := node["required"].([]any)
		required = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		if node["required"] = required; len(required) == 0 {
			delete(node, "required")
		}
	case u.What == "additionalProperties: true":
		delete(node, "additionalProperties")
		delete(node, "x-kubernetes-preserve-unknown-fields")
	case u.What == "pattern": // over that of the type, for which controller-gen asks, too
		delete(node, "pattern")
		delete(node, "allOf")
	case strings.HasPrefix(u.What, "keywords"):
		clear(node)
	default:
		delete(node, u.What)
	}
}

// below returns the schema one step further, and what is left of the way. A name may hold dots.
func below(node map[string]any, way []string) (map[string]any, []string) {
	properties, _ := node["properties"].(map[string]any)
	for n := len(way); n > 0; n-- {
		if property, found := properties[strings.Join(way[:n], ".")].(map[string]any); found {
			return property, way[n:]
		}
	}
	next, _ := node[way[0]].(map[string]any) // items or additionalProperties
	return next, way[1:]
}
