package admission

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// probePrefix begins the names of the ConfigMaps that the harness creates by dry runs in order to
// find out whether admission is in effect. No other admission fixture selects them.
const probePrefix = "operatortest-probe-"

// target says which objects and operations an admission fixture applies to.
type target struct {
	name       string // of the fixture in the cluster
	probe      string // name of the ConfigMap that it refuses, which shows that it is in effect
	namespaces []string
	labels     map[string]string
	object     string // the only name of objects; empty: any
	resource   schema.GroupVersionResource
	status     bool // its subresource
	operations []admissionregistrationv1.OperationType
}

// targetOf returns the target of an admission fixture. Without verbs it applies to any.
func (f *Fixtures) targetOf(like client.Object, verbs ...string) target {
	f.T.Helper()
	kind := f.KindOf(like)
	namespaced, err := f.Client.IsObjectNamespaced(like)
	if err != nil {
		f.T.Fatal(err)
	}
	if !namespaced {
		f.T.Fatalf("admission of kind %s would be that of every test, since its objects lie in no namespace", kind.Kind)
	}
	mapping, err := f.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		f.T.Fatal(err)
	}
	f.mu.Lock()
	f.count++
	name := fmt.Sprintf("%s-%d", f.Namespace, f.count)
	f.mu.Unlock()
	target := target{name: name, probe: probePrefix + name, namespaces: f.ownNamespaces(), labels: like.GetLabels(), object: like.GetName(), resource: mapping.Resource}
	for _, verb := range verbs {
		if err := target.addVerb(verb); err != nil {
			f.T.Fatal(err)
		}
	}
	return target
}

// ownNamespaces returns the namespaces that belong to the test alone.
func (f *Fixtures) ownNamespaces() []string {
	own := []string{f.Namespace}
	for _, object := range f.Created {
		if namespace, ok := object.(*corev1.Namespace); ok {
			own = append(own, namespace.Name)
		}
	}
	return own
}

func (t *target) addVerb(verb string) error {
	const create, update, remove = admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete
	switch verb {
	case "create":
		t.operations = append(t.operations, create)
	case "update":
		t.operations = append(t.operations, update)
	case "delete":
		t.operations = append(t.operations, remove)
	case "status":
		t.operations, t.status = append(t.operations, update), true
	case "":
		t.operations = append(t.operations, create, update, remove)
	default:
		return fmt.Errorf("admission knows no verb %q: expected create, update, delete, status, or nothing for the first three", verb)
	}
	return nil
}

// rules returns the rules that match the target and the probe.
func (t target) rules() []admissionregistrationv1.RuleWithOperations {
	resource := t.resource.Resource
	if t.status {
		resource += "/status"
	}
	return []admissionregistrationv1.RuleWithOperations{
		{Operations: t.operations, Rule: admissionregistrationv1.Rule{
			APIGroups: []string{t.resource.Group}, APIVersions: []string{t.resource.Version}, Resources: []string{resource},
		}},
		{Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create}, Rule: admissionregistrationv1.Rule{
			APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"},
		}},
	}
}

// conditions returns the match conditions that leave out everything but the target and the probe.
func (t target) conditions() []admissionregistrationv1.MatchCondition {
	var operations []string
	for _, operation := range t.operations {
		operations = append(operations, "'"+string(operation)+"'")
	}
	main := fmt.Sprintf("request.resource.group == '%s' && request.resource.resource == '%s' && request.operation in [%s]",
		t.resource.Group, t.resource.Resource, strings.Join(operations, ", "))
	if t.object != "" {
		main += fmt.Sprintf(" && has(request.name) && request.name == '%s'", t.object)
	} else {
		main += fmt.Sprintf(" && !(has(request.name) && request.name.startsWith('%s'))", probePrefix)
	}
	return []admissionregistrationv1.MatchCondition{{Name: "target", Expression: t.probeCondition() + " || " + main}}
}

// probeCondition is the condition that holds for a probe.
func (t target) probeCondition() string {
	return fmt.Sprintf("(request.resource.group == '' && request.resource.resource == 'configmaps' && has(request.name) && request.name == '%s')", t.probe)
}

// namespaceSelector selects the test's namespaces.
func (t target) namespaceSelector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: t.namespaces},
	}}
}

func (t target) objectSelector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: t.labels}
}

// policy returns a ValidatingAdmissionPolicy that refuses the target, and its binding.
func (t target) policy(reason metav1.StatusReason, message string) []client.Object {
	meta := metav1.ObjectMeta{Name: t.name}
	var rules []admissionregistrationv1.NamedRuleWithOperations
	for _, rule := range t.rules() {
		rules = append(rules, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: ptr.To(admissionregistrationv1.Fail),
		MatchConstraints: &admissionregistrationv1.MatchResources{
			NamespaceSelector: t.namespaceSelector(), ObjectSelector: t.objectSelector(), ResourceRules: rules,
		},
		MatchConditions: t.conditions(),
		Validations: []admissionregistrationv1.Validation{
			{Expression: "!" + t.probeCondition(), Message: inEffect},
			{Expression: t.probeCondition(), Message: message, Reason: &reason},
		},
	}}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: t.name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: t.namespaceSelector()},
	}}
	return []client.Object{policy, binding}
}

// mutatingWebhook returns the configuration of a webhook that changes the target.
func (t target) mutatingWebhook(url string, authority []byte) client.Object {
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: t.name},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: webhookName, AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: slices.Clone(authority)},
			Rules:             t.rules(),
			MatchConditions:   t.conditions(),
			NamespaceSelector: t.namespaceSelector(), ObjectSelector: t.objectSelector(),
		}},
	}
}

// validatingWebhook returns the configuration of a webhook that refuses the target.
func (t target) validatingWebhook(url string, authority []byte) client.Object {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: t.name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: webhookName, AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: slices.Clone(authority)},
			Rules:             t.rules(),
			MatchConditions:   t.conditions(),
			NamespaceSelector: t.namespaceSelector(), ObjectSelector: t.objectSelector(),
		}},
	}
}
