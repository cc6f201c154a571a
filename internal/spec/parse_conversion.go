package spec

import (
	"encoding/base64"
	"math"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// conversion decodes how objects are converted between versions, in the form that CRDs have. What the parts mean
// together is for the API server's own validation.
func (d *decoder) conversion(into **apiextv1.CustomResourceConversion) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		c := &apiextv1.CustomResourceConversion{}
		*into = c
		ok := d.mapping(n, path, keys{
			"strategy": word(d, &c.Strategy, apiextv1.NoneConverter, apiextv1.WebhookConverter),
			"webhook":  d.conversionWebhook(&c.Webhook),
		})
		if ok {
			d.need(n, path, "strategy")
		}
	}
}

func (d *decoder) conversionWebhook(into **apiextv1.WebhookConversion) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		w := &apiextv1.WebhookConversion{}
		*into = w
		ok := d.mapping(n, path, keys{
			"clientConfig":             d.webhookClient(&w.ClientConfig),
			"conversionReviewVersions": d.texts(&w.ConversionReviewVersions),
		})
		if ok {
			d.need(n, path, "conversionReviewVersions")
		}
	}
}

func (d *decoder) webhookClient(into **apiextv1.WebhookClientConfig) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		c := &apiextv1.WebhookClientConfig{}
		*into = c
		d.mapping(n, path, keys{
			"url": func(n *yaml.Node, path string) {
				c.URL = new(string)
				d.prose(c.URL)(n, path)
			},
			"service":  d.serviceReference(&c.Service),
			"caBundle": d.base64(&c.CABundle),
		})
	}
}

func (d *decoder) serviceReference(into **apiextv1.ServiceReference) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		s := &apiextv1.ServiceReference{}
		*into = s
		ok := d.mapping(n, path, keys{
			"name":      d.text(&s.Name),
			"namespace": d.text(&s.Namespace),
			"path": func(n *yaml.Node, path string) {
				s.Path = new(string)
				d.prose(s.Path)(n, path)
			},
			"port": func(n *yaml.Node, path string) {
				var port int64
				d.count(&port, 1, math.MaxUint16)(n, path)
				s.Port = new(int32(port))
			},
		})
		if ok {
			d.need(n, path, "name", "namespace")
		}
	}
}

// base64 decodes bytes, which YAML and JSON have as text.
func (d *decoder) base64(into *[]byte) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		text, ok := d.str(n, path)
		if !ok {
			return
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			d.fail(n, path, quoteShort(text)+" is not base64", "write the output of: base64 -w0 ca.crt")
			return
		}
		*into = data
	}
}
