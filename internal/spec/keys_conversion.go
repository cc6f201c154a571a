package spec

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// conversionMapping returns the keys under conversion, in the form that CRDs have. What they mean
// together is for the API server's own validation.
func conversionMapping(c *apiextv1.CustomResourceConversion) Mapping {
	return Mapping{Name: "conversion", Keys: []Key{
		{Name: "strategy", Required: true, value: oneWord(&c.Strategy, apiextv1.NoneConverter, apiextv1.WebhookConverter),
			Doc: "`None`, which changes nothing but the apiVersion and drops fields that a version lacks, or `Webhook`"},
		{Name: "webhook", Absent: "none", value: nestedMapping(&c.Webhook, webhookMapping), Doc: "the webhook that converts, for the strategy `Webhook`"},
	}}
}

// webhookMapping returns the keys under conversion.webhook.
func webhookMapping(w *apiextv1.WebhookConversion) Mapping {
	return Mapping{Name: "webhook", Keys: []Key{
		{Name: "clientConfig", Absent: "none", value: nestedMapping(&w.ClientConfig, clientConfigMapping), Doc: "how the API server reaches the webhook: by `url` or by `service`"},
		{Name: "conversionReviewVersions", Required: true, value: textList(&w.ConversionReviewVersions),
			Doc: "list of the versions of ConversionReview that the webhook knows, with `v1` among them"},
	}}
}

// clientConfigMapping returns the keys under conversion.webhook.clientConfig.
func clientConfigMapping(c *apiextv1.WebhookClientConfig) Mapping {
	return Mapping{Name: "clientConfig", Keys: []Key{
		{Name: "url", Absent: "none", value: optionalValue(&c.URL, proseText), Doc: "address of a webhook outside of the cluster: `https://host:port/path`"},
		{Name: "service", Absent: "none", value: nestedMapping(&c.Service, serviceMapping), Doc: "the Service of a webhook in the cluster"},
		{Name: "caBundle", Absent: "the cluster's trust roots", value: base64Text(&c.CABundle), Doc: "certificates in PEM that the webhook's is checked against, in base64"},
	}}
}

// serviceMapping returns the keys under conversion.webhook.clientConfig.service.
func serviceMapping(s *apiextv1.ServiceReference) Mapping {
	return Mapping{Name: "service", Keys: []Key{
		{Name: "name", Required: true, value: anyText(&s.Name), Doc: "name of the Service"},
		{Name: "namespace", Required: true, value: anyText(&s.Namespace), Doc: "namespace of the Service"},
		{Name: "path", Absent: "`/`", value: optionalValue(&s.Path, proseText), Doc: "path of the address that is asked"},
		{Name: "port", Absent: "`443`", value: optionalValue(&s.Port, portNumber), Doc: "port of the Service"},
	}}
}
