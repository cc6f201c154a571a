package spec

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// rule is a condition under which a mapping must have, or must not have, certain keys.
type rule struct {
	when     []condition // all of them hold
	excludes []string    // keys that must be absent then
	requires []string    // keys that must be there then
	// oneOf are conditions of which at most one may hold. A rule with oneOf has no other fields but
	// hint.
	oneOf []condition
	// message returns a message in place of the default one.
	message func(key, value string) string
	// hint returns the hint for a key; cause is the value of the last condition.
	hint func(key, cause string) string
}

// condition is the presence of a key in a mapping, or a certain value of it.
type condition struct {
	key      string
	isAbsent bool
	isTrue   bool                  // the value is the boolean true
	words    []string              // the value is one of these; nil: any
	pattern  func() *regexp.Regexp // the value matches; nil: any
	label    string                // for messages; empty: made from the key and its value
}

func hasKey(key string) condition { return condition{key: key} }

func noKey(key string) condition { return condition{key: key, isAbsent: true} }

func isTrueAt(key string) condition { return condition{key: key, isTrue: true} }

func isOneOf[T ~string](key string, words ...T) condition {
	c := condition{key: key}
	for _, word := range words {
		c.words = append(c.words, string(word))
	}
	return c
}

// allHold reports whether a mapping satisfies all conditions.
func allHold(conditions []condition, n *yaml.Node) bool {
	return !slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(n) })
}

func (c condition) holds(n *yaml.Node) bool {
	_, value := lookupKey(n, c.key)
	switch {
	case value == nil || c.isAbsent:
		return (value == nil) == c.isAbsent
	case c.isTrue:
		return value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" &&
			strings.EqualFold(value.Value, "true")
	case c.words != nil:
		return value.Kind == yaml.ScalarNode && slices.Contains(c.words, value.Value)
	case c.pattern != nil:
		return value.Kind == yaml.ScalarNode && c.pattern().MatchString(value.Value)
	}
	return true
}

// describeIn returns the condition for messages, such as update: Recreate.
func (c condition) describeIn(n *yaml.Node) string {
	_, value := lookupKey(n, c.key)
	switch {
	case c.label != "":
		return c.label + " " + value.Value
	case c.isTrue || c.words != nil:
		return c.key + ": " + value.Value
	}
	return c.key
}

func (c condition) schema() *jsonschema.Schema {
	switch {
	case c.isAbsent:
		return &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{c.key}}}
	case c.isTrue:
		return jsonschema.WithKey(c.key, &jsonschema.Schema{Const: true})
	case c.words != nil:
		return jsonschema.WithKey(c.key, jsonschema.Words(c.words...))
	case c.pattern != nil:
		return jsonschema.WithKey(c.key, &jsonschema.Schema{Pattern: c.pattern().String()})
	}
	return &jsonschema.Schema{Required: []string{c.key}}
}

// hintText returns a hint that is the same for all keys.
func hintText(hint string) func(key, cause string) string {
	return func(string, string) string { return hint }
}

// applyRules adds a problem for each key that the rules exclude or require. Only the first rule
// about a key counts.
func (d *decoder) applyRules(n *yaml.Node, path string, rules []rule) {
	var refused []string
	refuse := func(key, with string, r rule) {
		name, value := lookupKey(n, key)
		if name == nil || slices.Contains(refused, key) {
			return
		}
		refused = append(refused, key)
		message := "does not go with " + with
		if r.message != nil {
			message = r.message(key, value.Value)
		}
		d.fail(name, joinPath(path, key), message, r.hintFor(key, n))
	}
	for _, r := range rules {
		if r.oneOf != nil {
			first := ""
			for _, c := range r.oneOf {
				switch {
				case !c.holds(n):
				case first == "":
					first = c.key
				default:
					refuse(c.key, first, r)
				}
			}
			continue
		}
		if !allHold(r.when, n) {
			continue
		}
		for _, key := range r.excludes {
			refuse(key, r.when[0].describeIn(n), r)
		}
		for _, key := range r.requires {
			d.applyRequirement(n, path, key, r)
		}
	}
}

// applyRequirement adds a problem if a required key is absent, or an empty list.
func (d *decoder) applyRequirement(n *yaml.Node, path, key string, r rule) {
	_, value := lookupKey(n, key)
	if value != nil && (value.Kind != yaml.SequenceNode || len(value.Content) > 0) {
		return
	}
	message := "lacks the key " + key
	if r.message != nil {
		message = r.message(key, "")
	}
	d.fail(n, path, message, r.hintFor(key, n))
}

// hintFor returns the hint about a key of the mapping n.
func (r rule) hintFor(key string, n *yaml.Node) string {
	if r.hint == nil {
		return ""
	}
	cause := ""
	if len(r.when) > 0 {
		if _, value := lookupKey(n, r.when[len(r.when)-1].key); value != nil {
			cause = value.Value
		}
	}
	return r.hint(key, cause)
}

// asSchemas returns the rule as JSON Schemas, for editors.
func (r rule) asSchemas() []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if r.oneOf != nil {
		for i, c := range r.oneOf[:len(r.oneOf)-1] {
			then := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{}}
			for _, other := range r.oneOf[i+1:] {
				then.Properties[other.key] = jsonschema.Nothing()
				if other.isTrue {
					then.Properties[other.key] = &jsonschema.Schema{Not: &jsonschema.Schema{Const: true}}
				}
			}
			all = append(all, &jsonschema.Schema{If: c.schema(), Then: then})
		}
		return all
	}
	condition := r.when[0].schema()
	if len(r.when) > 1 {
		condition = &jsonschema.Schema{}
		for _, c := range r.when {
			condition.AllOf = append(condition.AllOf, c.schema())
		}
	}
	then := &jsonschema.Schema{Required: r.requires}
	if len(r.excludes) > 0 {
		then.Properties = jsonschema.WithoutKeys(r.excludes...).Properties
	}
	return []*jsonschema.Schema{{If: condition, Then: then}}
}
