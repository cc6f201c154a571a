package admission

import (
	"errors"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// ServeProject has the API server ask the operator's webhooks that files configure, for namespaced
// objects in the test's namespace. It returns once they are in effect.
func (f *Fixtures) ServeProject(paths []string) {
	f.T.Helper()
	mutating, validating, err := instance.ReadWebhooks(paths)
	if err != nil {
		f.T.Fatal(err)
	}
	f.AwaitWebhooks()
	if len(mutating) > 0 {
		target, url, authority := f.probeTarget()
		configuration := target.mutatingWebhook(url, authority).(*admissionregistrationv1.MutatingWebhookConfiguration)
		configuration.Webhooks[0].MatchConditions = target.onlyProbe()
		for _, w := range mutating {
			f.adapt(target, &w.ClientConfig, &w.NamespaceSelector, &w.MatchConditions, w.Rules)
			configuration.Webhooks = append(configuration.Webhooks, w)
		}
		f.installAdmission(target, configuration)
	}
	if len(validating) > 0 {
		target, url, authority := f.probeTarget()
		configuration := target.validatingWebhook(url, authority).(*admissionregistrationv1.ValidatingWebhookConfiguration)
		configuration.Webhooks[0].MatchConditions = target.onlyProbe()
		for _, w := range validating {
			f.adapt(target, &w.ClientConfig, &w.NamespaceSelector, &w.MatchConditions, w.Rules)
			configuration.Webhooks = append(configuration.Webhooks, w)
		}
		f.installAdmission(target, configuration)
	}
}

// probeTarget returns a target and a webhook that refuse nothing but a probe.
func (f *Fixtures) probeTarget() (t target, url string, authority []byte) {
	f.T.Helper()
	t = f.targetOf(&corev1.ConfigMap{}, "create")
	url, authority = f.serveWebhook(func([]byte) (admissionAnswer, error) {
		return admissionAnswer{}, errors.New("this webhook is for a probe alone")
	}, t.probe)
	return t, url, authority
}

func (t target) onlyProbe() []admissionregistrationv1.MatchCondition {
	return []admissionregistrationv1.MatchCondition{{Name: "probe", Expression: t.probeCondition()}}
}

// adapt has a webhook of the project be asked at the operator of the test, for objects of the test alone
// and for no probe. Objects without a namespace would be those of every test.
func (f *Fixtures) adapt(t target, config *admissionregistrationv1.WebhookClientConfig, namespaces **metav1.LabelSelector, conditions *[]admissionregistrationv1.MatchCondition, rules []admissionregistrationv1.RuleWithOperations) {
	if config.Service != nil {
		*config = admissionregistrationv1.WebhookClientConfig{URL: new(f.Webhooks.URL + ptr.Deref(config.Service.Path, "/")), CABundle: f.Webhooks.Authority}
	}
	own := t.namespaceSelector()
	if *namespaces != nil {
		own.MatchLabels, own.MatchExpressions = (*namespaces).MatchLabels, append(own.MatchExpressions, (*namespaces).MatchExpressions...)
	}
	*namespaces = own
	*conditions = append(*conditions, admissionregistrationv1.MatchCondition{
		Name: "operatortest.opgen.dev", Expression: "!(has(request.name) && request.name.startsWith('" + probePrefix + "'))",
	})
	for i := range rules {
		rules[i].Scope = new(admissionregistrationv1.NamespacedScope)
	}
}
