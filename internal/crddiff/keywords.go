package crddiff

import (
	"cmp"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// compareKeywords compares what two schemas say themselves, beside what is below them, descriptions
// and rules.
func (c *comparer) compareKeywords(at place, ours, theirs *props) {
	a, b := keywordsOf(ours), keywordsOf(theirs)
	for _, name := range unionOf(a, b) {
		if a[name] == b[name] {
			continue
		}
		d := at.difference(name, a[name], b[name])
		d.Effect = effectOfKeyword(name, ours, theirs)
		c.add(d)
	}
}

// keywordsOf returns the keywords of a schema that differ in meaning from absent ones, as JSON.
func keywordsOf(s *props) map[string]string {
	own := *s
	own.Properties, own.Required, own.Description, own.XValidations = nil, nil, "", nil
	own.AllOf, own.AnyOf, own.OneOf = sortedByText(s.AllOf), sortedByText(s.AnyOf), sortedByText(s.OneOf)
	own.Enum = sortedByText(s.Enum)
	own.XListMapKeys = slices.Sorted(slices.Values(s.XListMapKeys))
	own.Items, own.AdditionalProperties = nil, nil
	if s.XListType != nil && *s.XListType == "atomic" { // so are lists that say nothing
		own.XListType = nil
	}
	if s.XMapType != nil && *s.XMapType == "granular" { // so are objects that say nothing
		own.XMapType = nil
	}
	keywords := map[string]string{}
	values, _ := plainValue(own).(map[string]any)
	for name, value := range values {
		keywords[name] = jsonText(value)
	}
	if s.Items != nil {
		keywords["items"] = "a schema"
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		keywords["additionalProperties"] = "a schema"
	} else if values != nil {
		keywords["additionalProperties"] = jsonText(values.Allows)
	}
	return keywords
}

// plainValue returns a value as package json decodes it, with the numbers that the API server uses.
// The order of the keys of a default is lost, as it has no meaning.
func plainValue(value any) any {
	var plain any
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return nil // cannot happen: schemas were read from JSON, or are checked
	}
	return plain
}

// sortedByText returns values in the order of their JSON, without repetitions. The order of an enum
// or of allOf has no meaning.
func sortedByText[V any](values []V) []V {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Clone(values)
	texts := func(a, b V) int { return cmp.Compare(jsonText(plainValue(a)), jsonText(plainValue(b))) }
	slices.SortFunc(sorted, texts)
	return slices.CompactFunc(sorted, func(a, b V) bool { return texts(a, b) == 0 })
}

// compareRules compares the CEL rules of two schemas, whatever their order is.
func (c *comparer) compareRules(at place, ours, theirs *props) {
	const keyword = "x-kubernetes-validations"
	a, b := rulesOf(ours), rulesOf(theirs)
	for _, rule := range unionOf(a, b) {
		d := at.difference(keyword, a[rule], b[rule])
		switch {
		case a[rule] == b[rule]:
			continue
		case b[rule] == "":
			d.Effect = Refused
		}
		c.add(d)
	}
}

// rulesOf returns rules as JSON, by their CEL expressions.
func rulesOf(s *props) map[string]string {
	rules := map[string]string{}
	for _, rule := range s.XValidations {
		rules[normalized(rule.Rule)] = jsonText(shortRule(rule))
	}
	return rules
}

// shortRule returns a rule with the whitespace of its texts normalized.
func shortRule(rule apiextv1.ValidationRule) apiextv1.ValidationRule {
	rule.Rule, rule.Message = normalized(rule.Rule), normalized(rule.Message)
	return rule
}
