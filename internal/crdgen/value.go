package crdgen

import (
	"context"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// ValueValidator checks the values of one node of a schema, by its keywords and its own CEL rules. The rules of
// the nodes below it are left to validators of their own.
type ValueValidator struct {
	structural *schema.Structural
	openAPI    validation.SchemaValidator
	rules      *cel.Validator
}

// NewValueValidator returns the validator of a node; root tells whether it is the schema of a whole object.
func NewValueValidator(s *apiextv1.JSONSchemaProps, root bool) (*ValueValidator, error) {
	structural, openAPI, err := compiled(s)
	if err != nil {
		return nil, err
	}
	if structural.Items != nil {
		dropRules(structural.Items)
	}
	if values := structural.AdditionalProperties; values != nil && values.Structural != nil {
		dropRules(values.Structural)
	}
	for name, property := range structural.Properties {
		dropRules(&property)
		structural.Properties[name] = property
	}
	return &ValueValidator{
		structural: structural,
		openAPI:    openAPI,
		rules:      cel.NewValidator(structural, root, celconfig.PerCallLimit),
	}, nil
}

func dropRules(s *schema.Structural) {
	(&schema.Visitor{Structural: func(node *schema.Structural) bool {
		changed := len(node.XValidations) > 0
		node.XValidations = nil
		return changed
	}}).Visit(s)
}

// Validate returns what is wrong with a value, with paths that begin at the node, sorted. The value is not changed.
func (v *ValueValidator) Validate(value any) []string {
	value = runtime.DeepCopyJSONValue(value)
	defaulting.PruneNonNullableNullsWithoutDefaults(value, v.structural)
	defaulting.Default(value, v.structural)
	errs := validation.ValidateCustomResource(nil, value, v.openAPI)
	if len(errs) == 0 && v.rules != nil {
		broken, _ := v.rules.Validate(context.Background(), nil, v.structural, value, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	return sortedTexts(texts(errs))
}
