package crdgen

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Locate returns the position in the spec file that a path of the CRD comes from, and the path in
// terms of the spec file. It returns the closest position if the file does not have the path
// itself.
//
//	spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].default  spec.replicas.default
func Locate(api *spec.API, crdPath string) (spec.Pos, string) {
	elements := splitPath(crdPath)
	if path := pathOutsideVersions(elements.specPath()); path != "" {
		return closestPosition(api.At, path, api.Names.Pos), path
	}
	elements.skip("spec")
	i := 0
	if elements.skip("versions") {
		i = elements.takeIndex()
	}
	if i >= len(api.Versions) {
		return api.Pos, ""
	}
	version := fmt.Sprintf("versions[%d]", i)
	shown := "" // with one version the path is unambiguous without it
	if len(api.Versions) > 1 {
		shown = version + "."
	}
	if elements.skip("schema") || elements.skip("validation") {
		elements.skip("openAPIV3Schema")
		pos, path := locateInVersion(&api.Versions[i], &elements)
		return pos, strings.TrimSuffix(shown+path, ".")
	}
	path := versionKeys.Replace(elements.specPath())
	return closestPosition(api.At, version+"."+path, api.Versions[i].Pos), strings.TrimSuffix(shown+path, ".")
}

// pathOutsideVersions returns the path in the spec file of a path that does not belong to a
// version, and "" for all others.
func pathOutsideVersions(crdPath string) string {
	path, inSpec := strings.CutPrefix(crdPath, "spec.")
	switch {
	case crdPath == "metadata.name":
		return "names.plural"
	case crdPath == "metadata.annotations.api-approved.kubernetes.io":
		return "group" // the API server wants this annotation for groups of Kubernetes
	case strings.HasPrefix(crdPath, "metadata."):
		return crdPath
	case strings.HasPrefix(path, "conversion"):
		return conversionKeys.Replace(path)
	case inSpec && (strings.HasPrefix(path, "names.") || path == "group" || path == "scope"):
		return path
	}
	return ""
}

// conversionKeys replaces the keys of a conversion in the API server's internal version, which its
// errors have, by those of CRDs and spec files.
var conversionKeys = strings.NewReplacer(
	"conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions",
	"conversion.webhookClientConfig", "conversion.webhook.clientConfig",
)

// versionKeys replaces the keys of a version in CRDs by those in spec files.
var versionKeys = strings.NewReplacer(
	"additionalPrinterColumns", "columns", ".JSONPath", ".path", ".jsonPath", ".path",
	"subresources.scale", "scale", "subresources.", "",
	"specReplicasPath", "specReplicas", "statusReplicasPath", "statusReplicas", "labelSelectorPath", "labelSelector",
)

// locateInVersion follows a path from the root of a version's schema.
func locateInVersion(v *spec.Version, elements *pathElements) (spec.Pos, string) {
	if elements.startsWith("properties") {
		switch name := elements.peekKey(); {
		case name == "spec" && v.Spec != nil:
			*elements = (*elements)[2:]
			return locateInSchema(v.Spec, name, elements)
		case name == "status" && v.Status != nil:
			*elements = (*elements)[2:]
			return locateInSchema(v.Status, name, elements)
		}
	}
	if v.Root != nil {
		return locateInSchema(v.Root, "schema", elements)
	}
	return v.Pos, ""
}

// locateInSchema follows a path down the nodes of the spec file. What remains at the last node is
// the path of a keyword.
func locateInSchema(s *spec.Schema, path string, elements *pathElements) (spec.Pos, string) {
	for {
		s, path = followUses(s, path, elements)
		child, name := descendNode(s, elements)
		if child == nil {
			break
		}
		s, path = child, path+"."+name
	}
	keyword := elements.specPath()
	if keyword == "" {
		return s.Pos, path
	}
	return closestPosition(s.At, keyword, s.Pos), path + "." + keyword
}

// followUses returns the schema of the named type that a node uses, unless the node itself sets the
// keyword that comes next. A type can use another one in turn.
func followUses(s *spec.Schema, path string, elements *pathElements) (*spec.Schema, string) {
	for s.Use != nil && len(*elements) > 0 {
		if _, isSet := s.At[(*elements)[0]]; isSet && !elements.skipRules(len(s.Keywords.XValidations)) {
			break
		}
		s, path = s.Use.Schema, "types."+s.Use.Name
	}
	return s, path
}

// descendNode takes the next elements if they lead to a node below s, and returns that node with
// its name. There are no nodes below a Kubernetes type.
func descendNode(s *spec.Schema, elements *pathElements) (*spec.Schema, string) {
	switch {
	case s.Type != "":
	case elements.startsWith("properties"):
		if child := s.Property(elements.peekKey()); child != nil {
			elements.skip("properties")
			return child, elements.takeKey()
		}
	case s.Items != nil && elements.skip("items"):
		return s.Items, "items"
	case s.AdditionalProperties != nil && elements.skip("additionalProperties"):
		return s.AdditionalProperties, "additionalProperties"
	}
	return nil, ""
}

// closestPosition returns the position of a path, or of the closest path above it with a position.
func closestPosition(at map[string]spec.Pos, path string, fallback spec.Pos) spec.Pos {
	for path != "" {
		if pos, found := at[path]; found {
			return pos
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return fallback
}

// keywordPosition returns the position of a keyword, or of the node if the file does not set it.
func keywordPosition(s *spec.Schema, keyword string) spec.Pos {
	if pos, found := s.At[keyword]; found {
		return pos
	}
	return s.Pos
}

// isOfKubernetes reports whether a path of the CRD leads into a type of another module, which the
// author cannot change.
func isOfKubernetes(api *spec.API, crdPath string) bool {
	elements, version := splitPath(crdPath), 0
	elements.skip("spec")
	if elements.skip("versions") {
		version = elements.takeIndex()
	}
	if version >= len(api.Versions) || !elements.skip("schema") && !elements.skip("validation") || !elements.skip("openAPIV3Schema") {
		return false
	}
	v := &api.Versions[version]
	s := v.Root
	if elements.startsWith("properties") && (elements.peekKey() == "spec" && v.Spec != nil || elements.peekKey() == "status" && v.Status != nil) {
		s = map[string]*spec.Schema{"spec": v.Spec, "status": v.Status}[elements.peekKey()]
		elements = elements[2:]
	}
	for s != nil {
		for s.Use != nil {
			s = s.Use.Schema
		}
		child, _ := descendNode(s, &elements)
		if child == nil {
			return s.Foreign != "" || s.Type != "" && len(elements) > 0
		}
		s = child
	}
	return false
}
