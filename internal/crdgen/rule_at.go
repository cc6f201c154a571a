package crdgen

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/nearest"
)

// ruleAt returns the CEL rule or the message expression at a path of a CRD, and the schema that it is
// about. It returns "" if there is none.
func ruleAt(crd *apiextv1.CustomResourceDefinition, path string) (rule string, about *apiextv1.JSONSchemaProps) {
	elements, version := splitPath(path), 0
	elements.skip("spec")
	if elements.skip("versions") {
		version = elements.takeIndex()
	}
	isInSchema := elements.skip("schema") || elements.skip("validation")
	if !isInSchema || !elements.skip("openAPIV3Schema") || version >= len(crd.Spec.Versions) || crd.Spec.Versions[version].Schema == nil {
		return "", nil
	}
	schema := crd.Spec.Versions[version].Schema.OpenAPIV3Schema
	for schema != nil {
		switch {
		case elements.skip("properties"):
			property := schema.Properties[elements.takeKey()]
			schema = &property
		case elements.skip("items") && schema.Items != nil:
			schema = schema.Items.Schema
		case elements.skip("additionalProperties") && schema.AdditionalProperties != nil:
			schema = schema.AdditionalProperties.Schema
		case elements.skip("x-kubernetes-validations"):
			if i := elements.takeIndex(); i < len(schema.XValidations) {
				if elements.skip("messageExpression") {
					return schema.XValidations[i].MessageExpression, schema
				}
				return schema.XValidations[i].Rule, schema
			}
			return "", nil
		default:
			return "", nil
		}
	}
	return "", nil
}

// undefinedField matches the field in the message of the CEL compiler that it does not know, or whose
// name is a word of CEL.
var undefinedField = lazyregexp.New(`undefined field '([^']*)'|reserved identifier: (\w+)`)

// fieldHint returns how a rule about a schema names the field that it probably means by one that is
// not defined: letters that no name of CEL has are written out.
func fieldHint(about *apiextv1.JSONSchemaProps, message string) string {
	match := undefinedField().FindStringSubmatch(message)
	if match == nil || about == nil {
		return ""
	}
	written := cmp.Or(match[1], match[2])
	names := slices.Sorted(maps.Keys(about.Properties))
	for _, name := range names {
		escaped, ok := cel.Escape(name)
		if begins := strings.HasPrefix(name, written); ok && escaped != name && begins {
			return "a rule names the field " + name + " self." + escaped
		}
	}
	if meant := nearest.Name(written, names); meant != "" {
		return "did you mean " + meant + "?"
	}
	if match[2] != "" {
		return "it is a word of CEL: use another name for a variable"
	}
	return "a rule sees the fields of its own node as self.<name>"
}
