package crddiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/toolmarks"
)

// withDefaults returns a CRD as the API server completes it. It copies what the defaults change.
func withDefaults(crd *apiextv1.CustomResourceDefinition) *apiextv1.CustomResourceDefinition {
	out := *crd
	out.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	apiextv1.SetObjectDefaults_CustomResourceDefinition(&out)
	out.Status = crd.Status
	return &out
}

// compareCRDs compares two CRDs with the defaults of the API server.
func (c *comparer) compareCRDs(ours, theirs *apiextv1.CustomResourceDefinition) {
	a, b := ours.Spec, theirs.Spec
	c.addValue("names.plural", "names.plural", a.Names.Plural, b.Names.Plural, Left)
	c.addValue("names.singular", "names.singular", a.Names.Singular, b.Names.Singular, NoEffect)
	c.addValue("names.listKind", "names.listKind", a.Names.ListKind, b.Names.ListKind, NoEffect)
	c.addValue("names.shortNames", "names.shortNames", setText(a.Names.ShortNames), setText(b.Names.ShortNames), NoEffect)
	c.addValue("names.categories", "names.categories", setText(a.Names.Categories), setText(b.Names.Categories), NoEffect)
	c.addValue("scope", "scope", string(a.Scope), string(b.Scope), Rejected)
	c.addValue("preserveUnknownFields", "", flagText(a.PreserveUnknownFields), flagText(b.PreserveUnknownFields), NoEffect)
	if !c.isBase(theirs) {
		c.addValue("conversion", "conversion", c.conversionText(a.Conversion, a.Conversion), c.conversionText(b.Conversion, a.Conversion), NoEffect)
	}
	annotations := maps.Clone(ours.Annotations)
	if c.isBase(theirs) {
		delete(annotations, authorityAnnotation)
	}
	marks := toolmarks.Of{Labels: theirs.Labels, Annotations: theirs.Annotations}
	c.compareLabels("metadata.annotations", annotations, theirs.Annotations, marks.HasAnnotation)
	c.compareLabels("metadata.labels", ours.Labels, theirs.Labels, marks.HasLabel)
	c.compareVersions(ours, theirs)
}

// isBase reports whether theirs is what controller-gen has written, before kustomize adds a conversion
// and what cert-manager needs for it.
func (c *comparer) isBase(theirs *apiextv1.CustomResourceDefinition) bool {
	_, isGenerated := theirs.Annotations[generatorAnnotation]
	return isGenerated && !c.served && (theirs.Spec.Conversion == nil || theirs.Spec.Conversion.Strategy == apiextv1.NoneConverter)
}

// authorityAnnotation has cert-manager write the authority of a webhook's certificate.
const authorityAnnotation = "cert-manager.io/inject-ca-from"

// setText returns the items of a set as YAML, and "" if there are none.
func setText(items []string) string {
	return listText(slices.Compact(slices.Sorted(slices.Values(items))))
}

// listText returns the items of a list as YAML, and "" if there are none.
func listText(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func flagText(set bool) string {
	if set {
		return "true"
	}
	return ""
}

// conversionText returns a conversion as JSON. An API server has the certificate of a webhook from
// whoever injects it, unless the project sets it.
func (c *comparer) conversionText(conversion, ours *apiextv1.CustomResourceConversion) string {
	conversion = conversion.DeepCopy()
	client := clientOf(conversion)
	if own := clientOf(ours); c.served && client != nil && (own == nil || own.CABundle == nil) {
		client.CABundle = nil
	}
	return jsonText(conversion)
}

func clientOf(conversion *apiextv1.CustomResourceConversion) *apiextv1.WebhookClientConfig {
	if conversion.Webhook == nil {
		return nil
	}
	return conversion.Webhook.ClientConfig
}

// generatorAnnotation names the version of controller-gen that has made a CRD.
const generatorAnnotation = "controller-gen.kubebuilder.io/version"

// compareLabels compares labels or annotations of CRDs. Those that others have added in a cluster do
// not count, nor do those of tools, unless the project has them too.
func (c *comparer) compareLabels(path string, ours, theirs map[string]string, isTools func(key string) bool) {
	for _, key := range unionOf(ours, theirs) {
		a, isOurs := ours[key]
		b, isTheirs := theirs[key]
		switch {
		case key == generatorAnnotation || key == corev1.LastAppliedConfigAnnotation || !isOurs && (c.served || isTools(key)):
		case !isTheirs:
			c.addValue(fmt.Sprintf("%s[%s]", path, key), path, quoted(a), "", NoEffect)
		case !isOurs:
			c.addValue(fmt.Sprintf("%s[%s]", path, key), path, "", quoted(b), NoEffect)
		default:
			c.addValue(fmt.Sprintf("%s[%s]", path, key), path, quoted(a), quoted(b), NoEffect)
		}
	}
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }

// unionOf returns the keys of two maps, sorted.
func unionOf[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for key := range a {
		all[key] = true
	}
	for key := range b {
		all[key] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// jsonText returns a value as JSON, and "" for one that is empty.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil || string(text) == "null" || string(text) == "{}" {
		return ""
	}
	return string(text)
}
