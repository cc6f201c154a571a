package crdgen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// ValidateObject returns the errors that the API server would report for an object of a CRD, given
// as YAML or JSON. Each begins with the path of its field, and they are sorted. Unknown fields,
// which the server would drop, are errors, too.
func ValidateObject(crd *apiextv1.CustomResourceDefinition, object []byte) []string {
	decoded, err := decodeObject(object)
	if err != nil {
		return []string{err.Error()}
	}
	apiVersion, _ := decoded["apiVersion"].(string)
	version, found := strings.CutPrefix(apiVersion, crd.Spec.Group+"/")
	if !found {
		return []string{fmt.Sprintf("apiVersion: %q is not a version of group %s", apiVersion, crd.Spec.Group)}
	}
	if decoded["kind"] != crd.Spec.Names.Kind {
		return []string{fmt.Sprintf("kind: %v is not %s", decoded["kind"], crd.Spec.Names.Kind)}
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			validator, err := NewObjectValidator(v.Schema.OpenAPIV3Schema)
			if err != nil {
				return []string{err.Error()}
			}
			return validator.Validate(decoded)
		}
	}
	return []string{fmt.Sprintf("apiVersion: the CRD has no version %q", version)}
}

// decodeObject reads YAML or JSON with the number types that the API server uses.
func decodeObject(text []byte) (map[string]any, error) {
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(asJSON, &object); err != nil {
		return nil, fmt.Errorf("the document is not an object")
	}
	return object, nil
}

// ObjectValidator checks objects of one version of a CRD as the API server does when they are
// created.
type ObjectValidator struct {
	structural *schema.Structural
	openAPI    validation.SchemaValidator
	rules      *cel.Validator
}

// NewObjectValidator returns the validator of a version's schema.
func NewObjectValidator(s *apiextv1.JSONSchemaProps) (*ObjectValidator, error) {
	structural, openAPI, err := compileSchema(s)
	if err != nil {
		return nil, err
	}
	return &ObjectValidator{
		structural: structural,
		openAPI:    openAPI,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// compileSchema returns a schema as the API server compiles it: as a structural schema, for
// defaults and CEL rules, and as a validator of all other keywords.
func compileSchema(s *apiextv1.JSONSchemaProps) (*schema.Structural, validation.SchemaValidator, error) {
	internal, structural, err := structuralSchema(s)
	if err != nil {
		return nil, nil, err
	}
	openAPI, _, err := validation.NewSchemaValidator(internal)
	return structural, openAPI, err
}

// structuralSchema returns a schema in the API server's internal version, and as a structural
// schema.
func structuralSchema(s *apiextv1.JSONSchemaProps) (*apiextensions.JSONSchemaProps, *schema.Structural, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := schema.NewStructural(internal)
	return internal, structural, err
}

// Validate returns the errors of an object, sorted. It expects numbers as package json of
// apimachinery decodes them, and does not change the object.
func (v *ObjectValidator) Validate(object map[string]any) []string {
	ctx := context.Background()
	object = runtime.DeepCopyJSON(object)
	var found []string
	unknown := pruning.PruneWithOptions(object, v.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range unknown {
		found = append(found, path+": unknown field")
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, v.structural)
	defaulting.Default(object, v.structural)
	errs := validateName(object)
	errs = append(errs, validation.ValidateCustomResource(nil, object, v.openAPI)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, object, v.structural, true)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.structural, object)...)
	if len(errs) == 0 && v.rules != nil {
		broken, _ := v.rules.Validate(ctx, nil, v.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	return sortedTexts(append(found, errorTexts(errs)...))
}

// errorTexts returns errors as text: "spec.replicas: must be …".
func errorTexts(errs field.ErrorList) []string {
	var found []string
	for _, err := range errs {
		text := errorMessage(err)
		if path := strings.TrimPrefix(err.Field, "<nil>."); path != "" && path != "<nil>" {
			text = path + ": " + text
		}
		found = append(found, text)
	}
	return found
}

func sortedTexts(found []string) []string {
	slices.Sort(found)
	return slices.Compact(found)
}

func validateName(object map[string]any) field.ErrorList {
	meta, _ := object["metadata"].(map[string]any)
	path := field.NewPath("metadata", "name")
	name, _ := meta["name"].(string)
	if name == "" {
		if generateName, _ := meta["generateName"].(string); generateName != "" {
			return nil
		}
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	for _, problem := range content.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}
