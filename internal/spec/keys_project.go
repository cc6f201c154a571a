package spec

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// headerKeys returns apiVersion and kind, with which every spec file starts.
func headerKeys(kind string) []Key {
	return []Key{
		{Name: "apiVersion", Required: true, Doc: "the version of the spec language: `" + FormatVersion + "`", value: fixedWord(FormatVersion)},
		{Name: "kind", Required: true, Doc: "what the file describes: `" + kind + "`", value: fixedWord(kind)},
	}
}

// projectMapping returns the keys of opgen.yaml.
func projectMapping(p *Project) Mapping {
	p.MaxDescLen, p.Webhooks.From = -1, CertManager
	return Mapping{Name: "Project", Keys: append(headerKeys("Project"), []Key{
		{Name: "name", Required: true, value: formedText(&p.Name, &projectNameForm),
			Doc: "names the Deployment, the namespace `<name>-system` and the field manager; a DNS label of at most 56 characters"},
		{Name: "module", Required: true, value: formedText(&p.Module, &moduleForm), Doc: "path of the Go module"},
		{Name: "domain", Absent: "none", value: formedText(&p.Domain, &domainForm),
			Doc: "DNS suffix that `create api` completes a group without a dot with"},
		{Name: "watch", value: wordOr(WatchCluster, &p.Watch, WatchCluster, WatchNamespace),
			Doc: "`cluster`: every namespace, with a ClusterRole; `namespace`: the operator's own namespace, with a Role"},
		{Name: "watchNamespaces", Absent: "the operator's own", value: watchedNamespaces(&p.WatchNamespaces),
			Doc: "with `watch: namespace`: the namespaces to watch, with a Role in each"},
		{Name: "multigroup", value: trueOrFalseBy(false, &p.Multigroup),
			Doc: "`true` puts Go types into `api/<group>/<version>`, which several groups need"},
		{Name: "minKubernetes", value: kubernetesVersion(&p.MinKubernetes),
			Doc: fmt.Sprintf(`the oldest Kubernetes that CRDs must work on, from "1.%d" to "1.%d", quoted; selects the CEL environment that rules are checked in`, oldestKubernetes, newestKubernetes)},
		{Name: "clients", value: trueOrFalseBy(false, &p.Clients),
			Doc: "`true` generates typed clients into `client/`: clientset, listers, informers and apply configurations"},
		{Name: "maxDescLen", Absent: "all", value: integerBetween(&p.MaxDescLen, 0, maxDescription),
			Doc: "how many characters of each description the CRDs in `deploy/` have at the most, cut at the end of a sentence where there is one; `0`: no descriptions"},
		{Name: "headerFile", Absent: "none", value: formedText(&p.HeaderFile, &headerFileForm),
			Doc: "a file of Go comments, such as a license, that generated Go files begin with"},
		{Name: "templates", Absent: "none", value: distinctList(&p.Templates, strconv.Quote, func(into *string) value { return formedText(into, &templatesForm) }),
			Doc: "[templates of your own](templates.md): each a folder of the project, or the path of a folder in a Go module that tools.mod requires, such as `example.com/house/templates`"},
		{Name: "ignoreUnexportedFields", value: trueOrFalseBy(false, &p.IgnoreUnexportedFields),
			Doc: "`true` passes over fields of [your Go types](#go-first) that are not exported, though they have a JSON tag, which is an error otherwise"},
		{Name: "makeTargetPrefix", Absent: "none", value: formedText(&p.MakeTargetPrefix, &makeTargetPrefixForm),
			Doc: "what the targets in `zz_generated.mk` begin with, such as `opgen-`, for a Makefile with targets of the same names"},
		{Name: "webhooks", Absent: "`certificates: cert-manager`", value: partMapping(func() Mapping { return webhooksMapping(&p.Webhooks) }),
			Doc: "where the certificate of [webhooks](#webhooks) comes from, if the project has any"},
		{Name: "image", Absent: "the default base, for `linux/amd64` and `linux/arm64`", value: partMapping(func() Mapping { return imageMapping(&p.Image) }),
			Doc: "what [the operator's container image](#container-image) is built from"},
		{Name: "package", Absent: "what opgen knows", value: partMapping(func() Mapping { return packageMapping(&p.Package) }),
			Doc: "what [charts and bundles](#charts-and-bundles) say of the operator"},
	}...), rules: []rule{watchesNoList(noKey("watch")), watchesNoList(isOneOf("watch", WatchCluster))}}
}

// watchedNamespaces accepts a list of namespaces.
func watchedNamespaces(into *[]string) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind != yaml.SequenceNode {
				d.fail(n, path, "is no list", "write a list of names: [shop-a, shop-b]")
				return
			}
			d.decodeNamespaceList(n, path, into, "watch: cluster")
		},
		schema: func(*Language) *jsonschema.Schema { return namespaceListSchema() },
	}
}

// watchesNoList excludes a list of namespaces for an operator that watches all.
func watchesNoList(when condition) rule {
	return rule{
		when: []condition{when}, excludes: []string{"watchNamespaces"},
		message: func(string, string) string { return "is for watch: namespace" },
		hint:    hintText("leave it out, or write watch: namespace"),
	}
}

// webhooksMapping returns the keys under webhooks.
func webhooksMapping(c *Certificates) Mapping {
	return Mapping{Name: "webhooks", Keys: []Key{
		{Name: "certificates", value: wordOr(CertManager, &c.From, CertManager, CertificateSecret),
			Doc: "`cert-manager`: the manifests have an Issuer and a Certificate of it; `secret`: you make the Secret"},
		{Name: "secret", Absent: "`<name>-webhook-server-cert`", value: formedText(&c.Secret, &secretNameForm),
			Doc: "name of the Secret with `tls.crt` and `tls.key`, in the operator's namespace"},
		{Name: "caBundle", Absent: "none", value: base64Text(&c.CABundle),
			Doc: "with `certificates: secret`: certificates in PEM that the API server checks the webhooks' against, in base64. Without it, somebody else has to write them into the objects, or the cluster's trust roots count"},
	}, rules: []rule{noCABundle(noKey("certificates")), noCABundle(isOneOf("certificates", CertManager))}}
}

// imageMapping returns the keys under image.
func imageMapping(i *Image) Mapping {
	return Mapping{Name: "image", Keys: []Key{
		{Name: "base", Absent: "certificate authorities and a user, without an image below", value: formedText(&i.Base, &baseImageForm),
			Doc: "an image with its digest to put the operator above, as `REF@sha256:…`; `opgen image --base REF` looks the digest up"},
		{Name: "platforms", Absent: "`[linux/amd64, linux/arm64]`", value: notEmpty(
			distinctList(&i.Platforms, strconv.Quote, func(into *Platform) value { return oneWord(into, Platforms()...) }),
			"lists no platform", "name one, or leave the key out"),
			Doc: "the platforms of nodes that the image is built for"},
	}}
}

// packageMapping returns the keys under package.
func packageMapping(p *Package) Mapping {
	return Mapping{Name: "package", Keys: []Key{
		{Name: "displayName", Absent: "the name of the project", value: proseText(&p.DisplayName), Doc: "the operator's name for readers"},
		{Name: "description", Absent: "a sentence with the kinds of the project", value: proseText(&p.Description), Doc: "what the operator is for"},
		{Name: "url", Absent: "none", value: formedText(&p.URL, &urlForm), Doc: "the page of the project"},
		{Name: "provider", Absent: "the first maintainer", value: proseText(&p.Provider), Doc: "who publishes the operator"},
		{Name: "keywords", Absent: "none", value: wordList(&p.Keywords, false, "database"), Doc: "words to find the operator by"},
		{Name: "maintainers", Absent: "none", value: distinctList(&p.Maintainers, strconv.Quote, func(into *string) value { return formedText(into, &maintainerForm) }),
			Doc: "who to ask, each as in an email: `Ada <ada@example.com>`"},
		{Name: "icon", Absent: "none", value: formedText(&p.Icon, &iconForm), Doc: "a file of the project in SVG or PNG, for bundles"},
	}}
}

// noCABundle excludes the authority of certificates that cert-manager makes.
func noCABundle(when condition) rule {
	return rule{
		when: []condition{when}, excludes: []string{"caBundle"},
		message: func(string, string) string { return "is written by cert-manager" },
		hint:    hintText("leave it out, or write certificates: secret"),
	}
}

// kubernetesVersion accepts the versions that minKubernetes can have.
func kubernetesVersion(into *string) value {
	*into = DefaultMinKubernetes
	v := formedText(into, &minKubernetesForm)
	v.preset = DefaultMinKubernetes
	return v
}
