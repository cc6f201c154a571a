package crdgen

import (
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/spec"
)

// sampler makes a sample object.
type sampler struct {
	validator *ObjectValidator
	root      map[string]any
	options   []option
	switches  []option // required booleans that are false
	modest    bool     // set only suggested options, and those that the object needs to be valid
}

// option is an optional field that the sample may have.
type option struct {
	parent    map[string]any
	name      string
	value     any
	suggested bool // the schema has a default or an example
}

// isSwitch reports whether an option is a boolean of which nothing says whether it should be on.
func (o option) isSwitch() bool {
	_, isBoolean := o.value.(bool)
	return isBoolean && !o.suggested
}

func (o option) isSet() bool {
	_, set := o.parent[o.name]
	return set
}

// setSpec sets the spec to its required fields, and adds options. If the object is not valid with
// all options together, it tries them one by one, three times. The first time it keeps those that
// reduce the number of errors. The second time it also keeps those that do not increase it, for
// rules that require several fields at once, which the third time may complete.
func (s *sampler) setSpec(node *spec.Schema, schema apiextv1.JSONSchemaProps) {
	s.root["spec"] = s.valueFor("spec", node, schema)
	slices.SortStableFunc(s.options, func(a, b option) int { return rank(a) - rank(b) })
	s.options = s.options[:min(len(s.options), maxOptions)]
	errorCount := len(s.validator.Validate(s.root))
	if errorCount == 0 && s.setTogether() {
		return
	}
	for _, lenient := range []bool{false, true, false} {
		for _, o := range s.options {
			if o.isSet() {
				continue
			}
			o.parent[o.name] = o.value
			if now := len(s.validator.Validate(s.root)); now < errorCount || now == 0 && s.isWanted(o) || lenient && now == errorCount {
				errorCount = now
				continue
			}
			delete(o.parent, o.name)
		}
	}
	s.turnOn(errorCount)
}

// turnOn turns on each required boolean without which there are more errors, and then removes the options that are not needed.
func (s *sampler) turnOn(errorCount int) {
	for _, o := range s.switches {
		o.parent[o.name] = true
		if now := len(s.validator.Validate(s.root)); now < errorCount {
			errorCount = now
			continue
		}
		o.parent[o.name] = false
	}
	s.unsetNeedless(errorCount)
}

// rank orders options: suggested ones first.
func rank(o option) int {
	if o.suggested {
		return 0
	}
	return 1
}

// isWanted reports whether an option is set if it does no harm.
func (s *sampler) isWanted(o option) bool { return o.suggested || !s.modest && !o.isSwitch() }

// maxOptions is the maximum number of optional fields in a sample. More would be hard to read, and
// the whole object is validated for each of them.
const maxOptions = 64

// setTogether sets all options that are wanted. It removes them again, and returns false, if they
// make the object invalid.
func (s *sampler) setTogether() bool {
	for _, o := range s.options {
		if s.isWanted(o) {
			o.parent[o.name] = o.value
		}
	}
	if len(s.validator.Validate(s.root)) == 0 {
		return true
	}
	for _, o := range s.options {
		delete(o.parent, o.name)
	}
	return false
}

// unsetNeedless removes options that are not wanted and without which there are not more errors.
func (s *sampler) unsetNeedless(errorCount int) {
	for _, o := range s.options {
		if s.isWanted(o) || !o.isSet() {
			continue
		}
		delete(o.parent, o.name)
		if len(s.validator.Validate(s.root)) <= errorCount {
			continue
		}
		if o.isSwitch() {
			o.parent[o.name] = false
		}
		if !o.isSwitch() || len(s.validator.Validate(s.root)) > errorCount {
			o.parent[o.name] = o.value
		}
	}
}
