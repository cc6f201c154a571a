package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// labelSelector returns a label selector in kubectl's syntax, or as Kubernetes objects have it,
// which becomes the same.
func labelSelector(into *string) value {
	return selectorValue(into, "label selector", labelSelectorMapping)
}

// annotationSelector returns a selector like labelSelector for annotations. The values that it
// knows are those of labels.
func annotationSelector(into *string) value {
	return selectorValue(into, "selector of annotations", annotationSelectorMapping)
}

// selectorValue returns a selector of some sort, which is a text or a mapping.
func selectorValue(into *string, sort string, of func(*metav1.LabelSelector) Mapping) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind == yaml.MappingNode {
				d.decodeSelectorMapping(into, sort, of, n, path)
				return
			}
			text, ok := d.decodeText(n, path)
			if !ok || !d.isWhole(n, path) {
				return
			}
			parsed, err := labels.Parse(text)
			if err != nil {
				d.fail(n, path, quoteShort(text)+" is not a "+sort+": "+oneLineOf(err), "such as app=web,tier!=db or env in (dev, test)")
				return
			}
			d.decodeSelector(into, parsed, n, path)
		},
		schema: func(l *Language) *jsonschema.Schema {
			text := &jsonschema.Schema{Pattern: `\S`, PatternReason: "expected a selector, such as app=web,tier!=db"}
			return jsonschema.Either(text, "object", l.referTo(of(&metav1.LabelSelector{})))
		},
	}
}

// decodeSelectorMapping decodes a selector that is written as Kubernetes objects have it.
func (d *decoder) decodeSelectorMapping(
	into *string, sort string, of func(*metav1.LabelSelector) Mapping, n *yaml.Node, path string,
) {
	s := metav1.LabelSelector{MatchLabels: map[string]string{}}
	before := len(d.problems)
	d.decodeMapping(n, path, of(&s))
	if len(d.problems) > before {
		return
	}
	parsed, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		d.fail(n, path, "is not a "+sort+": "+oneLineOf(err), "")
		return
	}
	d.decodeSelector(into, parsed, n, path)
}

// decodeSelector writes a selector in kubectl's syntax, in which = and == mean the same.
func (d *decoder) decodeSelector(into *string, parsed labels.Selector, n *yaml.Node, path string) {
	if parsed.Empty() {
		d.fail(n, path, "selects everything", "leave the key out where that is meant")
		return
	}
	*into = strings.ReplaceAll(parsed.String(), "==", "=")
}

// labelSelectorMapping returns the keys of a selector of labels.
func labelSelectorMapping(s *metav1.LabelSelector) Mapping {
	return Mapping{Name: "labelSelector", Keys: []Key{
		{Name: "matchLabels", Absent: "none", value: matchedTexts(s), Doc: "labels that objects have"},
		{Name: "matchExpressions", Absent: "none", value: listOf(&s.MatchExpressions, requirementMapping), Doc: "list of what holds for labels"},
	}, refine: func(schema *jsonschema.Schema) { // one that is empty selects everything
		for _, key := range []string{"matchLabels", "matchExpressions"} {
			schema.AnyOf = append(schema.AnyOf, hasKey(key).schema())
		}
	}}
}

// annotationSelectorMapping returns the keys of a selector of annotations, which has them under one
// of two names.
func annotationSelectorMapping(s *metav1.LabelSelector) Mapping {
	m := labelSelectorMapping(s)
	m.Name = "annotationSelector"
	m.Keys = append(m.Keys, Key{Name: "matchAnnotations", Absent: "none", value: matchedTexts(s), Doc: "annotations that objects have"})
	m.rules = []rule{{when: []condition{hasKey("matchAnnotations")}, excludes: []string{"matchLabels"},
		hint: hintText("they mean the same here: write one of them")}}
	refine := m.refine
	m.refine = func(schema *jsonschema.Schema) {
		refine(schema)
		schema.AnyOf = append(schema.AnyOf, hasKey("matchAnnotations").schema())
	}
	return m
}

// matchedTexts returns labels or annotations that objects have.
func matchedTexts(s *metav1.LabelSelector) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
				if text, ok := d.decodeText(value, path); ok {
					s.MatchLabels[key.Value] = text
				}
			})
		},
		schema: func(*Language) *jsonschema.Schema { return jsonschema.MapOf(jsonschema.Text()) },
	}
}

// requirementMapping returns the keys of one of matchExpressions.
func requirementMapping(r *metav1.LabelSelectorRequirement) Mapping {
	const (
		in, notIn            = metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn
		exists, doesNotExist = metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist
	)
	return Mapping{Name: "labelRequirement", Keys: []Key{
		{Name: "key", Required: true, value: anyText(&r.Key), Doc: "the label"},
		{Name: "operator", Required: true, value: oneWord(&r.Operator, in, notIn, exists, doesNotExist), Doc: "how it is compared"},
		{Name: "values", Absent: "required with `In` and `NotIn`", value: comparedTexts(&r.Values), Doc: "list of what it is compared with"},
	}, rules: []rule{
		{when: []condition{isOneOf("operator", in, notIn)}, requires: []string{"values"},
			message: func(string, string) string { return "has no values" },
			hint:    func(_, operator string) string { return "give those that operator " + operator + " compares with" }},
		{when: []condition{{key: "operator", words: []string{string(exists), string(doesNotExist)}, label: "operator"}}, excludes: []string{"values"}},
	}}
}

func comparedTexts(into *[]string) value {
	v := textList(into)
	v.schema = func(*Language) *jsonschema.Schema {
		s := jsonschema.List(jsonschema.Text())
		s.MinItems = 1
		return s
	}
	return v
}

// oneLineOf returns the text of an error of a library without its line ends and regular
// expressions.
func oneLineOf(err error) string {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(err.Error()), " "), " (e.g. ")
	return text
}
