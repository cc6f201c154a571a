package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// labelSelector accepts a label selector in kubectl's syntax, app=web, or as Kubernetes objects
// have it, {matchLabels: {app: web}}. It stores both in kubectl's syntax.
func labelSelector(into *string) value {
	return selectorValue(into, "label selector", labelSelectorMapping)
}

// annotationSelector accepts a selector for annotations, in the syntax of label selectors. It
// accepts only values that labels can have.
func annotationSelector(into *string) value {
	return selectorValue(into, "selector of annotations", annotationSelectorMapping)
}

// selectorValue accepts a selector as a text or a mapping. sort is its name in messages.
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

// decodeSelectorMapping decodes a selector that is written as a mapping.
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

// decodeSelector stores a selector in kubectl's syntax, with = for both = and ==. It adds a problem
// for a selector that selects everything.
func (d *decoder) decodeSelector(into *string, parsed labels.Selector, n *yaml.Node, path string) {
	if parsed.Empty() {
		d.fail(n, path, "selects everything", "leave the key out to select everything")
		return
	}
	*into = strings.ReplaceAll(parsed.String(), "==", "=")
}

// labelSelectorMapping returns the keys of a label selector.
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

// annotationSelectorMapping returns the keys of an annotation selector: matchAnnotations, or
// matchLabels with the same meaning.
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

// matchedTexts accepts the labels or annotations of matchLabels.
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

// oneLineOf returns the text of an error of apimachinery on one line, without its regular
// expressions.
func oneLineOf(err error) string {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(err.Error()), " "), " (e.g. ")
	return text
}
