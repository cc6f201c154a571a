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

// checkCRD validates a CRD with the code of the API server, and compiles its CEL rules for
// minKubernetes. It returns the errors at their positions in the spec file.
func checkCRD(api *spec.API, crd *apiextv1.CustomResourceDefinition, rules apiextv1.ValidationRules, minKubernetes string) spec.Problems {
	internal, err := internalCRD(crd)
	if err != nil {
		return spec.Problems{{Pos: api.Pos, Message: err.Error()}}
	}
	errs := validation.ValidateCustomResourceDefinition(context.Background(), internal)
	if len(errs) > 0 {
		errs = append(errs, errorsHiddenByDefaults(internal, errs)...)
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
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Detail, b.Detail), strings.Compare(stringOrEmpty(a.BadValue), stringOrEmpty(b.BadValue)))
	})
	var problems spec.Problems
	seen := map[spec.Problem]bool{} // an error in a named type appears once for each use of the type
	for _, err := range withoutTotalCosts(errs) {
		pos, path := Locate(api, err.Field)
		message := crdPath().ReplaceAllStringFunc(errorMessage(err), func(inner string) string {
			_, path := Locate(api, inner)
			return path
		})
		problem := spec.Problem{Pos: pos, Path: path, Message: message, Hint: hintFor(path, message)}
		rule, about := ruleAt(crd, err.Field)
		if isAboutCost(err) {
			problem.Hint = costHint(api, crd, err.Field, rule)
		} else if hint := fieldHint(about, message); hint != "" {
			problem.Hint = hint
		}
		if !seen[problem] {
			seen[problem], problems = true, append(problems, problem)
		}
	}
	return problems
}

// stringOrEmpty returns a value if it is a string, or else "".
func stringOrEmpty(value any) string {
	s, _ := value.(string)
	return s
}

// errorsHiddenByDefaults validates a CRD again without its defaults, and returns the errors for
// other fields than those of found. The API server does not compile CEL rules as long as a default
// is invalid, so the author would see the errors in rules only after the default is corrected.
func errorsHiddenByDefaults(crd *apiextensions.CustomResourceDefinition, found field.ErrorList) field.ErrorList {
	bare := crd.DeepCopy()
	if bare.Spec.Validation != nil {
		dropDefaults(bare.Spec.Validation.OpenAPIV3Schema)
	}
	for _, v := range bare.Spec.Versions {
		if v.Schema != nil {
			dropDefaults(v.Schema.OpenAPIV3Schema)
		}
	}
	reported := map[string]bool{}
	for _, err := range found {
		reported[err.Field] = true
	}
	errs := validation.ValidateCustomResourceDefinition(context.Background(), bare)
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return reported[err.Field] || strings.HasSuffix(err.Field, ".default") // removed above
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

// crdPath matches paths of the CRD in messages.
var crdPath = lazyregexp.New(`spec\.(validation|versions\[\d+\]\.schema)\.openAPIV3Schema[^\s,]*`)

// withoutTotalCosts removes the errors about the total cost of all rules if one rule is already too
// expensive by itself. They would not help the author.
func withoutTotalCosts(errs field.ErrorList) field.ErrorList {
	tooExpensive := func(err *field.Error) bool { return strings.Contains(err.Detail, "cost exceeds budget") }
	if !slices.ContainsFunc(errs, tooExpensive) {
		return errs
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return !tooExpensive(err) && strings.Contains(err.Detail, "cost total")
	})
}

// isAboutCost reports whether an error is about what rules cost.
func isAboutCost(err *field.Error) bool {
	return strings.Contains(err.Detail, "cost exceeds budget") || strings.Contains(err.Detail, "cost total")
}

// internalCRD returns the CRD in the internal version, with the defaults of the API server.
func internalCRD(crd *apiextv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	defaulted := *crd // schemas are shared, not copied: defaulting does not change them
	defaulted.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	apiextv1.SetObjectDefaults_CustomResourceDefinition(&defaulted)
	internal := &apiextensions.CustomResourceDefinition{}
	err := apiextv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&defaulted, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("convert the CRD: %w", err)
	}
	return internal, nil
}
