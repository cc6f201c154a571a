package crdgen

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// checkCRD runs the API server's own validation over a CRD with these CEL rules and returns what
// it says, at the positions of the spec file.
func checkCRD(api *spec.API, crd *apiextv1.CustomResourceDefinition, rules apiextv1.ValidationRules, minKubernetes string) spec.Problems {
	internal, err := internalCRD(crd)
	if err != nil {
		return spec.Problems{{Pos: api.Pos, Message: err.Error()}}
	}
	errs := validation.ValidateCustomResourceDefinition(context.Background(), internal)
	if len(errs) > 0 {
		errs = append(errs, hiddenByDefaults(internal, errs)...)
	} else {
		errs, err = compileRules(crd, rules, minKubernetes)
		if err != nil {
			return spec.Problems{{Pos: api.Pos, Message: err.Error()}}
		}
	}
	if !slices.Contains(api.AcceptWarnings, spec.WarnUnsatisfiable) {
		errs = append(errs, findUnsatisfiable(crd)...)
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { // some come from maps
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Detail, b.Detail), strings.Compare(textOf(a.BadValue), textOf(b.BadValue)))
	})
	var problems spec.Problems
	said := map[spec.Problem]bool{} // of a type, once for all its uses
	for _, err := range withoutSums(errs) {
		pos, path := Locate(api, err.Field)
		message := crdPath().ReplaceAllStringFunc(errorMessage(err), func(inner string) string {
			_, path := Locate(api, inner)
			return path
		})
		problem := spec.Problem{Pos: pos, Path: path, Message: message, Hint: hintFor(message)}
		if !said[problem] {
			said[problem], problems = true, append(problems, problem)
		}
	}
	return problems
}

// textOf returns a value that is text.
func textOf(value any) string {
	s, _ := value.(string)
	return s
}

// hiddenByDefaults returns what is wrong beside the defaults: the API server does not look at CEL
// rules while a default breaks its schema.
func hiddenByDefaults(crd *apiextensions.CustomResourceDefinition, known field.ErrorList) field.ErrorList {
	bare := crd.DeepCopy()
	if bare.Spec.Validation != nil {
		dropDefaults(bare.Spec.Validation.OpenAPIV3Schema)
	}
	for _, v := range bare.Spec.Versions {
		if v.Schema != nil {
			dropDefaults(v.Schema.OpenAPIV3Schema)
		}
	}
	said := map[string]bool{}
	for _, err := range known {
		said[err.Field] = true
	}
	errs := validation.ValidateCustomResourceDefinition(context.Background(), bare)
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return said[err.Field] || strings.HasSuffix(err.Field, ".default") // which all have lost here
	})
}

func dropDefaults(s *apiextensions.JSONSchemaProps) {
	if s == nil {
		return
	}
	s.Default = nil
	for name, property := range s.Properties {
		dropDefaults(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		dropDefaults(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		dropDefaults(s.AdditionalProperties.Schema)
	}
}

// crdPath finds paths of the CRD in messages.
var crdPath = lazyregexp.New(`spec\.(validation|versions\[\d+\]\.schema)\.openAPIV3Schema[^\s,]*`)

// withoutSums leaves out the complaints about the cost of all rules together where a rule is too
// expensive by itself: they say nothing more.
func withoutSums(errs field.ErrorList) field.ErrorList {
	tooExpensive := func(err *field.Error) bool { return strings.Contains(err.Detail, "cost exceeds budget") }
	if !slices.ContainsFunc(errs, tooExpensive) {
		return errs
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return !tooExpensive(err) && strings.Contains(err.Detail, "cost total")
	})
}

// internalCRD returns the CRD as the API server has it after decoding and defaulting.
func internalCRD(crd *apiextv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	defaulted := *crd // whose schemas have no defaults of the server's: they are shared
	defaulted.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	apiextv1.SetObjectDefaults_CustomResourceDefinition(&defaulted)
	internal := &apiextensions.CustomResourceDefinition{}
	err := apiextv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&defaulted, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("the CRD does not hold together: %w", err)
	}
	return internal, nil
}
