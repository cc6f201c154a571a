package gomodel

import (
	"fmt"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

const validationPrefix = "+kubebuilder:validation:"

// shapeMarkers returns the markers of what a value must be: limits, formats, rules. They are on the type of
// the node when one is declared for it, and on the field otherwise.
func shapeMarkers(s *spec.Schema) []string {
	k := &s.Keywords
	m := markers{}
	m.underlying(s)
	m.format(s)
	switch JSONType(s) {
	case "integer", "number":
		m.number("Minimum", k.Minimum)
		m.flag("ExclusiveMinimum", k.ExclusiveMinimum)
		m.number("Maximum", k.Maximum)
		m.flag("ExclusiveMaximum", k.ExclusiveMaximum)
		m.number("MultipleOf", k.MultipleOf)
	case "string", intOrString:
		m.count("MinLength", k.MinLength)
		m.count("MaxLength", k.MaxLength)
		m.text("Pattern", k.Pattern)
	case "array":
		m.count("MinItems", k.MinItems)
		m.count("MaxItems", k.MaxItems)
	case "object":
		if !LimitsUnknown(s) {
			m.count("MinProperties", k.MinProperties)
			m.count("MaxProperties", k.MaxProperties)
		}
	}
	m.enum(k.Enum)
	if k.XEmbeddedResource {
		m.add(validationPrefix + "XEmbeddedResource")
	}
	typed := len(s.Properties) > 0 || s.Type != "" || s.Use != nil || s.AdditionalProperties != nil || k.Type != "" && k.Type != "object"
	if typed && k.XPreserveUnknownFields != nil && *k.XPreserveUnknownFields {
		m.add("+kubebuilder:pruning:PreserveUnknownFields")
	}
	m.topology(s)
	for _, rule := range k.XValidations {
		m.rule(rule)
	}
	return m.lines
}

// itemMarkers returns the markers that a list has for its items.
func itemMarkers(s *spec.Schema) []string {
	if s.Items == nil || declaresType(s.Items) || !itemsExpressible(s.Items) {
		return nil
	}
	var lines []string
	for _, marker := range shapeMarkers(s.Items) {
		lines = append(lines, validationPrefix+"items:"+strings.TrimPrefix(marker, validationPrefix))
	}
	return lines
}

// useMarkers returns the markers of how a field uses its type.
func useMarkers(s *spec.Schema) []string {
	k := &s.Keywords
	m := markers{}
	if k.Nullable {
		m.add("+nullable")
	}
	if k.Default != nil {
		m.add("+default=" + oneLine(k.Default.Raw))
	}
	if k.Title != "" {
		m.add("+kubebuilder:title=" + quoteText(k.Title))
	}
	if k.Example != nil && IsScalar(k.Example.Raw) {
		m.add("+kubebuilder:example=" + oneLine(k.Example.Raw))
	}
	if docs := k.ExternalDocs; docs != nil {
		line := "+kubebuilder:externalDocs:url=" + quoteText(docs.URL)
		if docs.Description != "" {
			line += ",description=" + quoteText(docs.Description)
		}
		m.add(line)
	}
	return m.lines
}

// markers collects marker lines.
type markers struct{ lines []string }

func (m *markers) add(line string) { m.lines = append(m.lines, line) }

func (m *markers) number(name string, value *float64) {
	if value != nil {
		m.add(validationPrefix + name + "=" + strconv.FormatFloat(*value, 'f', -1, 64))
	}
}

func (m *markers) count(name string, value *int64) {
	if value != nil {
		m.add(validationPrefix + name + "=" + strconv.FormatInt(*value, 10))
	}
}

func (m *markers) flag(name string, value bool) {
	if value {
		m.add(validationPrefix + name + "=true")
	}
}

func (m *markers) text(name, value string) {
	if value != "" {
		m.add(validationPrefix + name + "=" + quoteText(value))
	}
}

// format says the format of a node unless its Go type has it anyway.
func (m *markers) format(s *spec.Schema) {
	said := s.Keywords.Format
	var implied string
	switch s.Keywords.Type {
	case "integer":
		implied = "int64"
		if said == "int32" {
			implied = said
		}
	case "string":
		if said == "byte" || said == "date-time" {
			implied = said
		}
	}
	if said != implied {
		m.add(validationPrefix + "Format=" + quoteText(said))
	}
}

func (m *markers) enum(values []apiextv1.JSON) {
	var items []string
	for _, value := range values {
		if !IsScalar(value.Raw) {
			return
		}
		items = append(items, enumItem(value.Raw))
	}
	if len(items) > 0 {
		m.add(validationPrefix + "Enum=" + strings.Join(items, ";"))
	}
}

// underlying tells controller-gen what a Kubernetes type with limits (which are all misplaced where there is no
// type) is in JSON: it does not look at the type before it checks whether the limits fit.
func (m *markers) underlying(s *spec.Schema) {
	t := JSONType(s)
	if goTypeName(s) == "" || len(MisplacedLimits("", &s.Keywords)) == len(MisplacedLimits(t, &s.Keywords)) {
		return
	}
	switch t {
	case "", "array":
	case intOrString:
		m.add(validationPrefix + "XIntOrString")
	default:
		m.add(validationPrefix + "Type=" + t)
	}
}

// topology says how lists and maps merge.
func (m *markers) topology(s *spec.Schema) {
	k := &s.Keywords
	if k.XListType != nil {
		m.add("+listType=" + *k.XListType)
	}
	for _, key := range k.XListMapKeys {
		m.add("+listMapKey=" + markerWord(key))
	}
	if k.XMapType == nil {
		return
	}
	declared := s.Declared()
	t, known := crdgen.TypeOf(s)
	if declared.AdditionalProperties != nil || declared.AdditionalPropertiesAllowed != nil || known && t.Form == kubetypes.Map {
		m.add("+mapType=" + *k.XMapType)
	} else {
		m.add("+structType=" + *k.XMapType)
	}
}

// rule says a CEL rule.
func (m *markers) rule(r apiextv1.ValidationRule) {
	line := validationPrefix + "XValidation:rule=" + quoteText(r.Rule)
	for _, arg := range [][2]string{
		{"message", r.Message}, {"messageExpression", r.MessageExpression}, {"fieldPath", r.FieldPath},
	} {
		if arg[1] != "" {
			line += "," + arg[0] + "=" + quoteText(arg[1])
		}
	}
	if r.Reason != nil {
		line += ",reason=" + quoteText(string(*r.Reason))
	}
	if r.OptionalOldSelf != nil {
		line += fmt.Sprintf(",optionalOldSelf=%t", *r.OptionalOldSelf)
	}
	m.add(line)
}
