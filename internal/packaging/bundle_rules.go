package packaging

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/spec"
)

// checkRules returns all errors about what the Operator Lifecycle Manager refuses although a bundle has a place for it.
func (o *Operator) checkRules(replaces string) error {
	errs := []error{o.checkConversions(), o.checkServiceVersionName()}
	if len(replaces) > validation.LabelValueMaxLength {
		errs = append(errs, fmt.Errorf("--replaces %q has %d characters, and no ClusterServiceVersion has more than %d\n    name one that is in the catalog",
			replaces, len(replaces), validation.LabelValueMaxLength))
	}
	for _, object := range o.Objects {
		switch object.GetKind() {
		case "PodDisruptionBudget":
			errs = append(errs, checkBudget(object))
		case "PriorityClass":
			if isDefault, _, _ := unstructured.NestedBool(object.Object, "globalDefault"); isDefault {
				errs = append(errs, fmt.Errorf("PriorityClass %s has globalDefault: true, which a bundle must not have: it would be the priority of all Pods of the cluster\n    leave it out", object.GetName()))
			}
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			errs = append(errs, checkWebhookRules(object))
		}
	}
	return errors.Join(errs...)
}

// checkConversions returns an error if a CRD is converted by an operator that is not installed for all namespaces.
func (o *Operator) checkConversions() error {
	if o.Project.Watch == spec.WatchCluster {
		return nil
	}
	var converted []string
	for _, crd := range ofKind(o.Objects, "CustomResourceDefinition") {
		if strategy, _, _ := unstructured.NestedString(crd.Object, "spec", "conversion", "strategy"); strategy == "Webhook" {
			converted = append(converted, crd.GetName())
		}
	}
	if len(converted) == 0 {
		return nil
	}
	return fmt.Errorf("the Operator Lifecycle Manager installs an operator that converts objects for all namespaces only, and the project has watch: namespace; it converts %s\n    write watch: cluster in opgen.yaml, have versions that need no conversion, or make a chart: opgen package helm",
		strings.Join(converted, ", "))
}

// checkServiceVersionName returns an error if the name of the ClusterServiceVersion cannot be the value of a label, as which
// the Operator Lifecycle Manager writes it.
func (o *Operator) checkServiceVersionName() error {
	name := o.serviceVersionName()
	if allowed, _, _ := strings.Cut(strings.ToLower(o.Version), "+"); allowed != o.Version {
		return fmt.Errorf("--version %q would be in the name of the ClusterServiceVersion, which has lower-case letters, digits, - and . alone\n    write --version %s", o.Version, allowed)
	}
	if more := len(name) - validation.LabelValueMaxLength; more > 0 {
		return fmt.Errorf("the name of the ClusterServiceVersion, %s, has %d characters, and may have at most %d\n    give a --version that is shorter by %d, or the project in opgen.yaml a shorter name",
			name, len(name), validation.LabelValueMaxLength, more)
	}
	return nil
}

// checkBudget returns an error about a PodDisruptionBudget that never lets a Pod go, so that no node can be drained.
func checkBudget(object *Object) error {
	var budget policyv1.PodDisruptionBudget
	if err := decode(object, &budget); err != nil {
		return err
	}
	field := ""
	if down := budget.Spec.MaxUnavailable; down != nil && (down.String() == "0" || down.String() == "0%") {
		field = "maxUnavailable: " + down.String()
	}
	if up := budget.Spec.MinAvailable; up != nil && up.String() == "100%" {
		field = "minAvailable: " + up.String()
	}
	if field == "" {
		return nil
	}
	return fmt.Errorf("PodDisruptionBudget %s has %s, which a bundle must not have: no node with such a Pod could be drained\n    let at least one Pod go, with maxUnavailable: 1", object.GetName(), field)
}

// webhookGroup is the group of the kinds of webhook configurations, and managerGroup that of the Operator Lifecycle
// Manager's own kinds.
const (
	webhookGroup = "admissionregistration.k8s.io"
	managerGroup = "operators.coreos.com"
)

// checkWebhookRules returns an error about the webhooks that could stop the Operator Lifecycle Manager itself.
func checkWebhookRules(object *Object) error {
	var configuration struct {
		Webhooks []struct {
			Name  string                           `json:"name"`
			Rules []admissionv1.RuleWithOperations `json:"rules"`
		} `json:"webhooks"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &configuration); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	var errs []error
	for _, webhook := range configuration.Webhooks {
		for _, rule := range webhook.Rules {
			if problem := problemOfRule(rule.Rule); problem != "" {
				errs = append(errs, fmt.Errorf("the webhook %s is asked for %s, which the Operator Lifecycle Manager refuses\n    name the groups and resources that the operator needs to see", webhook.Name, problem))
			}
		}
	}
	return errors.Join(errs...)
}

// problemOfRule says what a webhook of a bundle must not be asked for.
func problemOfRule(rule admissionv1.Rule) string {
	switch {
	case slices.Contains(rule.APIGroups, "*"):
		return "all groups"
	case slices.Contains(rule.APIGroups, managerGroup):
		return "the group " + managerGroup
	case !slices.Contains(rule.APIGroups, webhookGroup):
		return ""
	}
	for _, resource := range rule.Resources {
		switch resource {
		case "*", "*/*", "validatingwebhookconfigurations", "mutatingwebhookconfigurations":
			return resource + " of the group " + webhookGroup
		}
	}
	return ""
}
