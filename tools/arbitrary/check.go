package arbitrary

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// keywordChecker checks values against the keywords of schemas.
type keywordChecker struct {
	validators map[*props]validation.SchemaValidator
	parts      map[*props]map[string]*props // of branches, by field
}

// fault is what is wrong at a place: a rule that does not hold, or a keyword where there is no
// rule.
type fault struct {
	at   *place
	rule *rule
}

// text says what is wrong, and where below the value that is looked at.
func (f fault) text() string {
	path := ""
	for p := f.at; p.parent != nil; p = p.parent {
		if p.index >= 0 {
			path = fmt.Sprintf("[%d]%s", p.index, path)
		} else {
			path = "." + p.key + path
		}
	}
	if f.rule == nil {
		return "keywords of self" + path
	}
	return fmt.Sprintf("rule of self%s: %s", path, f.rule.text)
}

// faults returns what is wrong with a value and the values below it.
func (c *keywordChecker) faults(p *place) []fault {
	v, there := p.get()
	if !there || v == nil {
		return nil // what is there and null may be: null is only made where it is allowed
	}
	var found []fault
	if !c.holds(p.node.own, v) || hasRepeatedItems(p.node, v) {
		found = append(found, fault{at: p})
	} else {
		s := scope{places: map[string]*place{"self": p}}
		for _, r := range p.node.rules {
			if !r.holds(r.expr, s, true) {
				found = append(found, fault{p, r})
			}
		}
	}
	for _, below := range p.elements() {
		found = append(found, c.faults(below)...)
	}
	return found
}

// hasRepeatedItems reports whether a list has two items that it may not both have.
func hasRepeatedItems(n *node, v any) bool {
	list, _ := v.([]any)
	seen := map[string]bool{}
	for _, item := range list {
		key, unique := itemIdentity(n, item)
		if unique && seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// holds reports whether a value is as keywords have it. The API server's own validation decides.
func (c *keywordChecker) holds(s *props, v any) bool {
	validator, known := c.validators[s]
	if !known {
		validator = newValidator(s)
		c.validators[s] = validator
	}
	return validator == nil || len(validation.ValidateCustomResource(nil, v, validator)) == 0
}

// newValidator returns nil for what the API server cannot make a validator of; the whole object is
// checked anyway.
func newValidator(s *props) validation.SchemaValidator {
	internal := &apiextensions.JSONSchemaProps{}
	if apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil) != nil {
		return nil
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil
	}
	return validator
}

// structuralOf returns a schema as the API server has it.
func structuralOf(s *props) (*schema.Structural, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil); err != nil {
		return nil, err
	}
	return schema.NewStructural(internal)
}

// ownKeywords returns what a schema says of a value itself, and what its logical operators say of
// the values below.
func ownKeywords(s *props) *props {
	own := *s
	own.Items, own.AdditionalProperties, own.XValidations, own.Default = nil, nil, nil, nil
	own.Properties = make(map[string]props, len(s.Properties))
	for name := range s.Properties {
		own.Properties[name] = props{}
	}
	return &own
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
