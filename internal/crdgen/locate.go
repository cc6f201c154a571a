package crdgen

import (
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Locate returns where in the spec file a path of its CRD comes from, and the path as the spec file
// has it:
//
//	spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].default  spec.replicas.default
func Locate(api *spec.API, crdPath string) (spec.Pos, string) {
	steps := splitPath(crdPath)
	if path := outsideVersions(steps.specPath()); path != "" {
		return closestPosition(api.At, path, api.Names.Pos), path
	}
	steps.skip("spec")
	i := 0
	if steps.skip("versions") {
		i = steps.takeIndex()
	}
	if i >= len(api.Versions) {
		return api.Pos, ""
	}
	version := fmt.Sprintf("versions[%d]", i)
	shown := "" // with one version the path is unambiguous without it
	if len(api.Versions) > 1 {
		shown = version + "."
	}
	if steps.skip("schema") || steps.skip("validation") {
		steps.skip("openAPIV3Schema")
		pos, path := inVersion(&api.Versions[i], &steps)
		return pos, strings.TrimSuffix(shown+path, ".")
	}
	path := versionKeys.Replace(steps.specPath())
	return closestPosition(api.At, version+"."+path, api.Versions[i].Pos), strings.TrimSuffix(shown+path, ".")
}

// outsideVersions returns the path in the spec file of what all versions share, empty for
// everything else.
func outsideVersions(crdPath string) string {
	path, inSpec := strings.CutPrefix(crdPath, "spec.")
	switch {
	case crdPath == "metadata.name":
		return "names.plural"
	case crdPath == "metadata.annotations.api-approved.kubernetes.io":
		return "group" // which must be approved of there when it is one of Kubernetes
	case strings.HasPrefix(crdPath, "metadata."):
		return crdPath
	case strings.HasPrefix(path, "conversion"):
		return conversionKeys.Replace(path)
	case inSpec && (strings.HasPrefix(path, "names.") || path == "group" || path == "scope"):
		return path
	}
	return ""
}

// conversionKeys turns what the API server calls the parts of a conversion into what CRDs and spec
// files call them.
var conversionKeys = strings.NewReplacer(
	"conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions",
	"conversion.webhookClientConfig", "conversion.webhook.clientConfig",
)

// versionKeys turns what a CRD calls a version's parts into what a spec file calls them.
var versionKeys = strings.NewReplacer(
	"additionalPrinterColumns", "columns", ".JSONPath", ".path", ".jsonPath", ".path",
	"subresources.scale", "scale", "subresources.", "",
	"specReplicasPath", "specReplicas", "statusReplicasPath", "statusReplicas", "labelSelectorPath", "labelSelector",
)

// inVersion follows the steps from the root of a version's schema.
func inVersion(v *spec.Version, steps *steps) (spec.Pos, string) {
	if steps.startWith("properties") {
		switch name := steps.peekKey(); {
		case name == "spec" && v.Spec != nil:
			*steps = (*steps)[2:]
			return inSchema(v.Spec, name, steps)
		case name == "status" && v.Status != nil:
			*steps = (*steps)[2:]
			return inSchema(v.Status, name, steps)
		}
	}
	if v.Root != nil {
		return inSchema(v.Root, "schema", steps)
	}
	return v.Pos, ""
}

// inSchema follows the steps down the nodes of the spec; what remains at the last node is one of
// its keywords.
func inSchema(s *spec.Schema, path string, steps *steps) (spec.Pos, string) {
	for {
		s, path = inUsed(s, path, steps)
		child, name := descendNode(s, steps)
		if child == nil {
			break
		}
		s, path = child, path+"."+name
	}
	keyword := steps.specPath()
	if keyword == "" {
		return s.Pos, path
	}
	return closestPosition(s.At, keyword, s.Pos), path + "." + keyword
}

// inUsed goes on in the named type that a node uses, unless the node itself says what the steps
// lead to.
func inUsed(s *spec.Schema, path string, steps *steps) (*spec.Schema, string) {
	for s.Use != nil && len(*steps) > 0 {
		if _, said := s.At[(*steps)[0]]; said && !steps.skipRules(len(s.Keywords.XValidations)) {
			break
		}
		s, path = s.Use.Schema, "types."+s.Use.Name
	}
	return s, path
}

// descendNode takes the next steps if they lead to a node below s, and returns it with its name.
// Below a Kubernetes type there are no nodes.
func descendNode(s *spec.Schema, steps *steps) (*spec.Schema, string) {
	switch {
	case s.Type != "":
	case steps.startWith("properties"):
		if child := s.Property(steps.peekKey()); child != nil {
			steps.skip("properties")
			return child, steps.takeKey()
		}
	case s.Items != nil && steps.skip("items"):
		return s.Items, "items"
	case s.AdditionalProperties != nil && steps.skip("additionalProperties"):
		return s.AdditionalProperties, "additionalProperties"
	}
	return nil, ""
}

// closestPosition returns the position of a path, or of the closest part around it that has one.
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
