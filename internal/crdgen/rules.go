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

// compileRules compiles those of the CEL rules of a valid CRD that may use what is newer than
// minKubernetes, as an API server of that version does.
func compileRules(crd *apiextv1.CustomResourceDefinition, rules apiextv1.ValidationRules, minKubernetes string) (field.ErrorList, error) {
	oldest, err := version.ParseMajorMinor(minKubernetes)
	if err != nil {
		return nil, fmt.Errorf("minKubernetes: %w", err)
	}
	if len(rules) == 0 || !oldest.LessThan(environment.DefaultCompatibilityVersion()) {
		return nil, nil // which is what the validation itself compiles them for
	}
	newer := newerThan(oldest)
	if !newer.isUsedIn(rules) {
		return nil, nil
	}
	errs, err := compileFor(crd, oldest, newer)
	if err != nil || len(errs) == 0 {
		return nil, err
	}
	since, err := acceptedSince(crd, oldest, newer, errs)
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

// acceptedSince returns the first Kubernetes that accepts what each error is about; empty when none
// does.
func acceptedSince(crd *apiextv1.CustomResourceDefinition, oldest *version.Version, newer newer, errs field.ErrorList) ([]string, error) {
	since := make([]string, len(errs))
	newest := environment.DefaultCompatibilityVersion().Minor()
	for minor := oldest.Minor() + 1; minor <= newest && slices.Contains(since, ""); minor++ {
		later := version.MajorMinor(oldest.Major(), minor)
		still, err := compileFor(crd, later, newer)
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

// compileFor compiles the rules with newer parts in the environment of one version of Kubernetes.
func compileFor(crd *apiextv1.CustomResourceDefinition, kubernetes *version.Version, newer newer) (field.ErrorList, error) {
	compiler := ruleCompiler{env: environment.MustBaseEnvSet(kubernetes), newer: newer}
	for i, v := range crd.Spec.Versions {
		_, structural, err := structuralSchema(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		compiler.compileBelow(structural, model.SchemaDeclType(structural, true), path)
	}
	return compiler.errs, nil
}

// ruleCompiler compiles the rules of a schema and of everything below it.
type ruleCompiler struct {
	env   *environment.EnvSet
	newer newer
	errs  field.ErrorList
}

func (c *ruleCompiler) compileBelow(s *schema.Structural, declared *apiservercel.DeclType, path *field.Path) {
	if s == nil || declared == nil {
		return
	}
	if c.newer.isUsedIn(s.XValidations) {
		c.compileRules(s, declared, path)
	}
	if s.Items != nil {
		c.compileBelow(s.Items, declared.ElemType, path.Child("items"))
	}
	if s.AdditionalProperties != nil {
		c.compileBelow(s.AdditionalProperties.Structural, declared.ElemType, path.Child("additionalProperties"))
	}
	for name, property := range s.Properties {
		if f, found := declared.FindField(name); found {
			c.compileBelow(&property, f.Type, path.Child("properties").Key(name))
		}
	}
}

// compileRules compiles the rules of a schema itself.
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
