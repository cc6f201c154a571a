package crdgen

import (
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// compileRules compiles CEL rules of a valid CRD as an API server of version minKubernetes does,
// and returns the errors. It skips rules that use nothing newer than that version.
func compileRules(crd *apiextv1.CustomResourceDefinition, rules apiextv1.ValidationRules, minKubernetes string) (field.ErrorList, error) {
	oldest, err := version.ParseMajorMinor(minKubernetes)
	if err != nil {
		return nil, fmt.Errorf("minKubernetes: %w", err)
	}
	if len(rules) == 0 || !oldest.LessThan(environment.DefaultCompatibilityVersion()) {
		return nil, nil // the validation of the CRD has compiled the rules for this version
	}
	additions := celAdditionsSince(oldest)
	if !additions.isUsedIn(rules) {
		return nil, nil
	}
	errs, err := compileFor(crd, oldest, additions)
	if err != nil || len(errs) == 0 {
		return nil, err
	}
	since, err := acceptedSince(crd, oldest, additions, errs)
	if err != nil {
		return nil, err
	}
	for i, err := range errs {
		err.Detail = celDetail(err.Detail) + " in Kubernetes " + minKubernetes
		if since[i] != "" {
			err.Detail += "; it is accepted from " + since[i] + " on"
		}
	}
	return errs, nil
}

// acceptedSince returns for each error the first version of Kubernetes that does not have it, or
// "".
func acceptedSince(crd *apiextv1.CustomResourceDefinition, oldest *version.Version, additions celAdditions, errs field.ErrorList) ([]string, error) {
	since := make([]string, len(errs))
	newest := environment.DefaultCompatibilityVersion().Minor()
	for minor := oldest.Minor() + 1; minor <= newest && slices.Contains(since, ""); minor++ {
		later := version.MajorMinor(oldest.Major(), minor)
		still, err := compileFor(crd, later, additions)
		if err != nil {
			return nil, err
		}
		for i, e := range errs {
			gone := !slices.ContainsFunc(still, func(s *field.Error) bool { return s.Field == e.Field })
			if gone && since[i] == "" {
				since[i] = later.String()
			}
		}
	}
	return since, nil
}

// compileFor compiles the rules with additions in the environment of one version of Kubernetes.
func compileFor(crd *apiextv1.CustomResourceDefinition, kubernetes *version.Version, additions celAdditions) (field.ErrorList, error) {
	compiler := ruleCompiler{env: environment.MustBaseEnvSet(kubernetes), additions: additions}
	for i, v := range crd.Spec.Versions {
		_, structural, err := structuralSchema(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		compiler.compileAll(structural, model.SchemaDeclType(structural, true), path)
	}
	return compiler.errs, nil
}

// ruleCompiler compiles the rules of a schema and of all schemas below it.
type ruleCompiler struct {
	env       *environment.EnvSet
	additions celAdditions
	errs      field.ErrorList
}

func (c *ruleCompiler) compileAll(s *schema.Structural, declared *apiservercel.DeclType, path *field.Path) {
	if s == nil || declared == nil {
		return
	}
	if c.additions.isUsedIn(s.XValidations) {
		c.compileRules(s, declared, path)
	}
	if s.Items != nil {
		c.compileAll(s.Items, declared.ElemType, path.Child("items"))
	}
	if s.AdditionalProperties != nil {
		c.compileAll(s.AdditionalProperties.Structural, declared.ElemType, path.Child("additionalProperties"))
	}
	for name, property := range s.Properties {
		if f, found := declared.FindField(name); found {
			c.compileAll(&property, f.Type, path.Child("properties").Key(name))
		}
	}
}

// compileRules compiles the rules of a schema, without those below it.
func (c *ruleCompiler) compileRules(s *schema.Structural, declared *apiservercel.DeclType, path *field.Path) {
	results, err := cel.Compile(s, declared, celconfig.PerCallLimit, c.env, cel.NewExpressionsEnvLoader())
	if err != nil {
		c.errs = append(c.errs, field.InternalError(path, err))
	}
	for i, r := range results {
		rule := path.Child("x-kubernetes-validations").Index(i)
		if r.Error != nil {
			c.errs = append(c.errs, field.Invalid(rule.Child("rule"), s.XValidations[i].Rule, r.Error.Detail))
		}
		if r.MessageExpressionError != nil {
			c.errs = append(c.errs, field.Invalid(rule.Child("messageExpression"), "", r.MessageExpressionError.Detail))
		}
	}
}
