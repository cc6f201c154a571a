package reference

import (
	"math"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// conversionKeys are the keys under conversion.
func conversionKeys() []key {
	return []key{
		{name: "strategy", required: true, value: word(apiextv1.NoneConverter, apiextv1.WebhookConverter),
			means: "`None`, which changes nothing but the apiVersion and drops fields that a version lacks, or `Webhook`"},
		{name: "webhook", absent: "none", value: ref("webhook"), means: "the webhook that converts, for the strategy `Webhook`"},
	}
}

// webhookKeys are the keys under conversion.webhook.
func webhookKeys() []key {
	return []key{
		{name: "clientConfig", absent: "none", value: ref("clientConfig"), means: "how the API server reaches the webhook: by `url` or by `service`"},
		{name: "conversionReviewVersions", required: true, value: list(text()), means: "list of the versions of ConversionReview that the webhook knows, with `v1` among them"},
	}
}

// clientConfigKeys are the keys under conversion.webhook.clientConfig.
func clientConfigKeys() []key {
	return []key{
		{name: "url", absent: "none", value: text(), means: "address of a webhook outside of the cluster: `https://host:port/path`"},
		{name: "service", absent: "none", value: ref("service"), means: "the Service of a webhook in the cluster"},
		{name: "caBundle", absent: "the cluster's trust roots", value: matching(`^([A-Za-z0-9+/=]|\s)*$`, "base64"), means: "certificates in PEM that the webhook's is checked against, in base64"},
	}
}

// serviceKeys are the keys under conversion.webhook.clientConfig.service.
func serviceKeys() []key {
	return []key{
		{name: "name", required: true, value: text(), means: "name of the Service"},
		{name: "namespace", required: true, value: text(), means: "namespace of the Service"},
		{name: "path", absent: "`/`", value: text(), means: "path of the address that is asked"},
		{name: "port", absent: "`443`", value: &schema{Type: "integer", Minimum: new(1), Maximum: new(math.MaxUint16)}, means: "port of the Service"},
	}
}
