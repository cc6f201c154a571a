package crdgen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/spec"
)

// validate runs the API server's own validation over a CRD and returns what it says, at the positions of the
// spec file.
func validate(api *spec.API, crd *apiextv1.CustomResourceDefinition, minKubernetes string) spec.Problems {
	internal, err := internalCRD(crd)
	if err != nil {
		return spec.Problems{{Pos: api.Pos, Message: err.Error()}}
	}
	errs := validation.ValidateCustomResourceDefinition(context.Background(), internal)
	if len(errs) == 0 {
		errs, err = compileRules(crd, minKubernetes)
		if err != nil {
			return spec.Problems{{Pos: api.Pos, Message: err.Error()}}
		}
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	var problems spec.Problems
	for _, err := range errs {
		pos, path := locate(api, err.Field)
		message := message(err)
		problem := spec.Problem{Pos: pos, Path: path, Message: message, Hint: hint(message)}
		if !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	return problems
}

// internalCRD returns the CRD as the API server has it after decoding and defaulting.
func internalCRD(crd *apiextv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	defaulted := crd.DeepCopy()
	apiextv1.SetDefaults_CustomResourceDefinition(defaulted)
	internal := &apiextensions.CustomResourceDefinition{}
	err := apiextv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(defaulted, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("the CRD does not hold together: %w", err)
	}
	return internal, nil
}

// message says what is wrong in the words of the API server, without its dump of the value when that is a
// whole object.
func message(err *field.Error) string {
	detail := celDetail(err.Detail)
	switch value := err.BadValue.(type) {
	case string:
		if err.Type == field.ErrorTypeNotSupported {
			return fmt.Sprintf("%q is not supported: %s", value, detail)
		}
		if err.Type == field.ErrorTypeInvalid && value != "" && !strings.HasSuffix(err.Field, ".rule") {
			return fmt.Sprintf("%q is invalid: %s", value, detail)
		}
	case int, int32, int64, float64, bool:
		return fmt.Sprintf("%v is invalid: %s", value, detail)
	}
	switch {
	case detail != "":
		return detail
	case err.Type == field.ErrorTypeRequired:
		return "is required"
	default:
		return strings.ToLower(err.Type.String())
	}
}

// celDetail shortens the report of the CEL compiler to what it says and where in the rule:
//
//	compilation failed: ERROR: <input>:1:6: undefined field 'foo'
//	 | self.foo
//	 | .....^
func celDetail(detail string) string {
	const prefix = "compilation failed: ERROR: <input>:"
	if !strings.HasPrefix(detail, prefix) {
		return detail
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(detail, prefix), "\n")
	parts := strings.SplitN(first, ":", 3)
	if len(parts) != 3 {
		return detail
	}
	where := "column " + parts[1] + " of the rule"
	if parts[0] != "1" {
		where = "line " + parts[0] + ", " + where
	}
	return fmt.Sprintf("%s (%s)", strings.TrimSpace(parts[2]), where)
}

// hint says what to do about the messages that do not say so themselves.
func hint(message string) string {
	switch {
	case strings.Contains(message, "cost"):
		return "give the lists, strings and maps that the rule reads a maxItems, maxLength or maxProperties"
	case strings.Contains(message, "undefined field"):
		return "a rule sees the fields of its own node as self.<name>"
	case strings.Contains(message, "oldSelf cannot be used"):
		return "the API server must know which old item belongs to which new one: use x-kubernetes-list-type: map"
	}
	return ""
}
