package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/toolmarks"
	"github.com/opgen-dev/opgen/tools/oracle"
)

// kindGaps are what markers cannot express of a kind outside of its schema, which can be equal all
// the same.
var kindGaps = []string{"kind", "listKind", "singular", "labels", "served", "subresources"}

// schemaGaps returns what markers cannot express of the schemas of a CRD; empty if they express all
// of them.
func (s *subject) schemaGaps() string {
	count := map[string]int{}
	for _, pkg := range s.packages {
		for _, gap := range oracle.NotExpressible(pkg) {
			what, _, _ := strings.Cut(gap.What, ",")
			if !slices.Contains(kindGaps, what) {
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

// hasGap reports whether markers cannot express something of a kind.
func (s *subject) hasGap(what string) bool {
	return slices.ContainsFunc(s.packages, func(p gomodel.Package) bool {
		return slices.ContainsFunc(oracle.NotExpressible(p), func(gap oracle.Gap) bool { return gap.What == what })
	})
}

// leaveOutGaps removes from a CRD what markers cannot express.
func leaveOutGaps(object map[string]any, packages []gomodel.Package) {
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
			for _, gap := range oracle.NotExpressible(pkg) {
				leaveOutGap(object, root, gap)
			}
		}
	}
}

// leaveOutGap removes one gap from a CRD, root being the schema of the version with the gap.
func leaveOutGap(object, root map[string]any, gap oracle.Gap) {
	spec, _ := object["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	switch gap.What {
	case "kind":
		delete(names, "kind")
		delete(names, "listKind")
		delete(names, "singular")
	case "listKind", "singular":
		delete(names, gap.What)
	case "labels":
		metadata, _ := object["metadata"].(map[string]any)
		delete(metadata, gap.What)
	case "subresources", "served":
		// Empty subresources mean nothing, and controller-gen makes a CRD of which no version is
		// served.
	case "schema":
		leaveOutRoot(root)
	case "maxNameLength":
		properties, _ := root["properties"].(map[string]any)
		delete(properties, "metadata")
	default:
		if node := findSchema(root, strings.Split(gap.Path, ".")[1:]); node != nil {
			leaveOutKeyword(node, gap.What)
		}
	}
}

// leaveOutMarks removes from a CRD what a tool of a cluster wrote, and the conversion that is the API server's default. The
// import leaves both out.
func leaveOutMarks(object map[string]any) {
	labels, _, _ := unstructured.NestedStringMap(object, "metadata", "labels")
	annotations, _, _ := unstructured.NestedStringMap(object, "metadata", "annotations")
	marks := toolmarks.Of{Labels: labels, Annotations: annotations}
	for key, isTools := range map[string]func(string) bool{"labels": marks.HasLabel, "annotations": marks.HasAnnotation} {
		fields, _, _ := unstructured.NestedMap(object, "metadata", key)
		maps.DeleteFunc(fields, func(name string, _ any) bool { return isTools(name) })
		if len(fields) == 0 {
			unstructured.RemoveNestedField(object, "metadata", key)
		} else {
			_ = unstructured.SetNestedMap(object, fields, "metadata", key) // its parents are maps
		}
	}
	if strategy, _, _ := unstructured.NestedString(object, "spec", "conversion", "strategy"); strategy == "None" {
		unstructured.RemoveNestedField(object, "spec", "conversion")
	}
}

// leaveOutRoot removes from the schema of a whole object everything but the fields that are the
// kind's own.
func leaveOutRoot(root map[string]any) {
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
}

// leaveOutKeyword removes from a schema what a gap there is about.
func leaveOutKeyword(node map[string]any, what string) {
	name, undeclared := strings.CutPrefix(what, "required ")
	switch {
	case undeclared:
		name, _, _ = strings.Cut(name, ",")
		required, _ := node["required"].([]any)
		required = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
		if node["required"] = required; len(required) == 0 {
			delete(node, "required")
		}
	case what == "additionalProperties: true":
		delete(node, "additionalProperties")
		delete(node, "x-kubernetes-preserve-unknown-fields")
	case what == "pattern": // controller-gen asks for that of the type, too
		delete(node, "pattern")
		delete(node, "allOf")
	case strings.HasPrefix(what, "keywords"):
		clear(node)
	default:
		delete(node, what)
	}
}

// findSchema returns the schema at a path below another, nil if there is none.
func findSchema(node map[string]any, path []string) map[string]any {
	for len(path) > 0 && node != nil {
		node, path = nextSchema(node, path)
	}
	return node
}

// nextSchema returns the schema one step further, and the rest of the path. A name may have dots.
func nextSchema(node map[string]any, path []string) (map[string]any, []string) {
	properties, _ := node["properties"].(map[string]any)
	for n := len(path); n > 0; n-- {
		if property, found := properties[strings.Join(path[:n], ".")].(map[string]any); found {
			return property, path[n:]
		}
	}
	next, _ := node[path[0]].(map[string]any) // items or additionalProperties
	return next, path[1:]
}
