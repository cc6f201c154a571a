package spec

import (
	"strconv"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// apiMapping returns the keys of the file of an API. root is the document, or nil to describe the
// keys.
func apiMapping(api *API, root *yaml.Node) Mapping {
	operated := hasKey("operator")
	return Mapping{Name: "API", Keys: append(headerKeys("API"), []Key{
		{Name: "group", Required: true, value: formedText(&api.Group, &groupForm), Doc: "API group, a DNS name with a dot"},
		{Name: "names", Required: true, value: kindNames(&api.Names), Doc: "what the kind is called"},
		{Name: "scope", value: wordOr(Namespaced, &api.Scope, Namespaced, Cluster)},
		{Name: "maxNameLength", Absent: "`253`", value: integerBetween(&api.MaxNameLength, 1, 253),
			Doc: "how many characters the name of an object may have, so that [the names of its children](children.md#names-of-children) fit; the API server refuses longer ones, and leaves objects alone that exist"},
		{Name: "metadata", Absent: "none", value: partMapping(func() Mapping { return metadataMapping(api) }), Doc: "annotations and labels of the CRD"},
		{Name: "conversion", Absent: "by the methods of the Go types, if they have any", value: nestedMapping(&api.Conversion, conversionMapping), Doc: "how objects are converted [between versions](#conversion), as in a CRD"},
		{Name: "embeddedMetadata", Absent: "`true`", value: embeddedMetadata(&api.EmbeddedMetadata),
			Doc: "where a Kubernetes type or a Go type holds an object, such as a pod template, the schema names the `name`, " +
				"`labels` and `annotations` of its metadata; with `All`, `namespace` and `finalizers` too; with `false`, none. The API server drops what is not named"},
		{Name: "types", Absent: "none", value: namedTypes(&api.Types), Doc: "schemas with a name of their own, to be used by it anywhere in the file"},
		{Name: "acceptWarnings", Absent: "none", value: warningNames(&api.AcceptWarnings),
			Doc: acceptDoc},
		{Name: "versions", Required: true, Doc: "list of the versions, at least one",
			value: versionList(&api.Versions, func() bool { return operated.holds(root) })},
		{Name: "operator", Absent: "no controller", value: nestedMapping(&api.Operator, operatorMapping), Doc: "what the controller does"},
	}...), finish: func(d *decoder, n *yaml.Node, _ string) {
		d.checkAPINames(n, api)
		d.checkVersions(n, api)
		d.checkOwnChildren(api)
	}}
}

// typesMapping returns the keys of a file of types.
func typesMapping(types *[]*NamedType) Mapping {
	return Mapping{Name: "Types", Keys: append(headerKeys("Types"), Key{
		Name: "types", Required: true, value: namedTypes(types),
		Doc: "schemas with a name of their own, to be used by it in every API of the project",
	})}
}

// metadataMapping returns the keys under metadata.
func metadataMapping(api *API) Mapping {
	return Mapping{Name: "metadata", Keys: []Key{
		{Name: "annotations", Absent: "none", value: textMap(&api.Annotations), Doc: "annotations of the CRD"},
		{Name: "labels", Absent: "none", value: textMap(&api.Labels), Doc: "labels of the CRD"},
	}}
}

// subresourcesMapping returns the keys under subresources.
func subresourcesMapping(s *Subresources) Mapping {
	return Mapping{Name: "subresources", Keys: []Key{
		{Name: "status", Absent: "none", value: trueOrFalse(&s.Status), Doc: "objects have the status subresource"},
	}}
}

// columnMapping returns the keys of a column of kubectl get.
func columnMapping(c *Column) Mapping {
	return Mapping{Name: "column", pos: &c.Pos, Keys: []Key{
		{Name: "name", Required: true, value: proseText(&c.Name), Doc: "the heading"},
		{Name: "path", Required: true, value: textCheckedLater(&c.Path, &columnPathForm), Doc: "JSON path of what the column shows"},
		{Name: "type", Absent: "taken from the schema", value: oneWord(&c.Type, "string", "integer", "number", "boolean", "date")},
		{Name: "format", Absent: "none",
			value: oneWord(&c.Format, "int32", "int64", "float", "double", "byte", "date", "date-time", "password")},
		{Name: "description", Absent: "none", value: proseText(&c.Description), Doc: "what the column shows, for people"},
		{Name: "priority", value: integerUpTo(&c.Priority, 1<<31-1), Doc: "above 0: shown by `kubectl get -o wide` only"},
	}}
}

// scaleMapping returns the keys under scale.
func scaleMapping(s *Scale) Mapping {
	return Mapping{Name: "scale", pos: &s.Pos, Keys: []Key{
		{Name: "specReplicas", Required: true, value: textCheckedLater(&s.SpecReplicas, &specReplicasForm), Doc: "path of the integer that scaling sets, below `.spec`"},
		{Name: "statusReplicas", Required: true, value: textCheckedLater(&s.StatusReplicas, &statusReplicasForm), Doc: "path of the integer that is observed, below `.status`"},
		{Name: "labelSelector", Absent: "none", value: textCheckedLater(&s.LabelSelector, &scaleSelectorForm), Doc: "path of the text that selects the pods, for autoscalers"},
	}}
}

// checkVersions checks the versions together. A single version is the storage version by default.
func (d *decoder) checkVersions(root *yaml.Node, api *API) {
	_, list := lookupKey(root, "versions")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	if len(list.Content) == 0 {
		d.fail(list, "versions", "has no version", "")
		return
	}
	alone := len(api.Versions) == 1
	stored, seen := 0, map[string]bool{}
	for i := range api.Versions {
		v, path := &api.Versions[i], indexPath("versions", i)
		if _, set := api.At[path+".storage"]; alone && !set {
			v.Storage = true
		}
		if v.Name != "" && seen[v.Name] {
			d.failAt(v.Pos, path+".name", "duplicate version "+v.Name, "")
		}
		seen[v.Name] = true
		if v.Storage {
			stored++
		}
	}
	switch stored {
	case 0:
		d.fail(list, "versions", NoStorageMessage, "exactly one must have it")
	case 1:
	default:
		d.fail(list, "versions", strconv.Itoa(stored)+" versions have storage: true", "exactly one must have it")
	}
}

// NoStorageMessage is the message about an API of which no version is stored.
const NoStorageMessage = "0 versions have storage: true"

// embeddedMetadata accepts true, false or All.
func embeddedMetadata(into *EmbeddedMetadata) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			labels := true
			switch {
			case n.Kind == yaml.ScalarNode && n.Value == string(AllMetadata):
				*into = AllMetadata
			case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
				d.fail(n, path, quoteShort(n.Value)+" is not accepted", "accepted: true, false, All")
			default:
				if d.decodeBool(&labels, n, path); !labels {
					*into = NoMetadata
				}
			}
		},
		schema: func(*Language) *jsonschema.Schema {
			return jsonschema.Either(jsonschema.Words(AllMetadata), "boolean", jsonschema.Boolean())
		},
	}
}

// conversionMapping returns the keys under conversion, as CRDs have them. The validation of the CRD
// checks their combinations.
func conversionMapping(c *apiextv1.CustomResourceConversion) Mapping {
	return Mapping{Name: "conversion", Keys: []Key{
		{Name: "strategy", Required: true, value: oneWord(&c.Strategy, apiextv1.NoneConverter, apiextv1.WebhookConverter),
			Doc: "`None`, which changes nothing but the apiVersion and drops fields that a version lacks, or `Webhook`"},
		{Name: "webhook", Absent: "the project's operator", value: nestedMapping(&c.Webhook, webhookMapping), Doc: "who converts, for the strategy `Webhook`"},
	}}
}

// webhookMapping returns the keys under conversion.webhook.
func webhookMapping(w *apiextv1.WebhookConversion) Mapping {
	return Mapping{Name: "webhook", Keys: []Key{
		{Name: "clientConfig", Absent: "that of the project's operator", value: nestedMapping(&w.ClientConfig, clientConfigMapping), Doc: "how the API server reaches the webhook: by `url` or by `service`"},
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
