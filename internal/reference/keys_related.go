package reference

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// parentPath is a path of fields of the parent.
const parentPath = `(\.[A-Za-z_][A-Za-z0-9_-]*)+`

// relatedKeys are the keys of what Sync reads.
func relatedKeys() []key {
	path := func(example string) *schema {
		return matching("^"+parentPath+"$", "a path of fields of the parent, such as "+example, example)
	}
	name := matching(`^[^./%\s][^/%\s]*$`, "the name of an object", "app-settings")
	name.MaxLength = 253
	return append(resourceKeys("it may be listed several times, each with an `as` of its own"), []key{
		{name: "name", absent: "all objects", value: name, means: "the name of the only object that is meant"},
		{name: "nameFrom", absent: "all objects", value: path(".spec.configMapName"), means: "path in the parent to a name or a list of names"},
		{name: "selector", absent: "all objects", value: selector(), means: "the labels of the objects, in kubectl's syntax, such as `app=web,tier!=db`, or as `{matchLabels, matchExpressions}`"},
		{name: "selectorFrom", absent: "all objects", value: path(".spec.selector"), means: "path in the parent to a label selector or a map of labels"},
		{name: "dynamic", value: toggle(false), means: "the author implements Related, which says which objects are meant"},
		{name: "namespaces", absent: "`Parent`, and `All` for a parent in no namespace", value: namespaces(),
			means: "where the objects lie: in the namespace of the `Parent`, in `All`, in those of a list, or in those that a path in the parent leads to"},
		{name: "cache", value: word(spec.CacheFull, spec.CacheMetadata).withDefault(spec.CacheFull),
			means: "what is kept of the objects in memory: whole objects (`full`), or their `metadata` alone, which is all that Sync sees of them then"},
	}...)
}

// related is what Sync reads. One key at the most says which objects are meant.
func related() *schema {
	s := object(relatedKeys())
	dynamic := when("dynamic", &schema{Const: true})
	others := []string{"name", "nameFrom", "selector", "selectorFrom"}
	for i, key := range others {
		then := without(others[i+1:]...)
		then.Properties["dynamic"] = &schema{Not: &schema{Const: true}}
		s.AllOf = append(s.AllOf, &schema{If: &schema{Required: []string{key}}, Then: then})
	}
	s.AllOf = append(s.AllOf, &schema{If: dynamic, Then: without("namespaces")})
	return s
}

// either is a text of one form, or a value of another type of another form.
func either(text *schema, otherType string, other *schema) *schema {
	return &schema{Type: []string{"string", otherType}, AllOf: []*schema{
		{If: &schema{Type: "string"}, Then: text}, {If: &schema{Type: otherType}, Then: other},
	}}
}

func selector() *schema {
	return either(&schema{MinLength: 1}, "object", ref("labelSelector"))
}

func namespaces() *schema {
	listed := list(matching(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, "the name of a namespace", "kube-system"))
	listed.MinItems = 1
	words := matching(`^(All|Parent|`+parentPath+`)$`, "All, Parent, or a path in the parent; write names of namespaces as a list", "All", "Parent", ".spec.namespaces")
	return either(words, "array", listed)
}

// labelSelectorKeys are the keys of a selector that is written as Kubernetes objects have it.
func labelSelectorKeys() []key {
	return []key{
		{name: "matchLabels", absent: "none", value: textMap(), means: "labels that objects have"},
		{name: "matchExpressions", absent: "none", value: list(ref("labelRequirement")), means: "list of what holds for labels"},
	}
}

// labelRequirementKeys are the keys of one of matchExpressions.
func labelRequirementKeys() []key {
	values := list(text())
	values.MinItems = 1
	return []key{
		{name: "key", required: true, value: text(), means: "the label"},
		{name: "operator", required: true, means: "how it is compared",
			value: word(metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)},
		{name: "values", absent: "required with `In` and `NotIn`", value: values, means: "list of what it is compared with"},
	}
}

func labelRequirement() *schema {
	s := object(labelRequirementKeys())
	s.AllOf = []*schema{
		{If: when("operator", word(metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn)), Then: &schema{Required: []string{"values"}}},
		{If: when("operator", word(metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)), Then: without("values")},
	}
	return s
}
