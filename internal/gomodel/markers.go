package gomodel

import (
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

const validationPrefix = "+kubebuilder:validation:"

// validationMarkers returns the markers that restrict a value: limits, formats, rules. They are on
// the type of the node if one is declared for it, and on the field otherwise.
func validationMarkers(s *spec.Schema) []string {
	k := &s.Keywords
	m := markers{}
	m.addUnderlyingType(s)
	m.addFormat(s)
	if !LimitsUnknown(s) {
		m.addLimits(JSONType(s), k)
	}
	m.addEnum(k.Enum)
	if k.XEmbeddedResource {
		m.addLine(validationPrefix + "XEmbeddedResource")
	}
	typed := len(s.Properties) > 0 || s.Type != "" || s.Use != nil || s.AdditionalProperties != nil || k.Type != "" && k.Type != "object"
	if typed && k.XPreserveUnknownFields != nil && *k.XPreserveUnknownFields {
		m.addLine("+kubebuilder:pruning:PreserveUnknownFields")
	}
	m.addTopology(s)
	for _, rule := range k.XValidations {
		m.addRule(rule)
	}
	return m.lines
}

// itemMarkers returns the markers of a list that restrict its items.
func itemMarkers(s *spec.Schema) []string {
	if s.Items == nil || declaresType(s.Items) || !itemsExpressible(s.Items) {
		return nil
	}
	var lines []string
	for _, marker := range validationMarkers(s.Items) {
		lines = append(lines, validationPrefix+"items:"+strings.TrimPrefix(marker, validationPrefix))
	}
	return lines
}

// useMarkers returns the markers that belong to a field and not to its type, such as the default.
func useMarkers(s *spec.Schema) []string {
	k := &s.Keywords
	m := markers{}
	if k.Nullable {
		m.addLine("+nullable")
	}
	if k.Default != nil {
		m.addLine("+default=" + oneLine(k.Default.Raw))
	}
	if k.Title != "" {
		m.addLine("+kubebuilder:title=" + quoteText(k.Title))
	}
	if k.Example != nil && IsScalar(k.Example.Raw) {
		m.addLine("+kubebuilder:example=" + oneLine(k.Example.Raw))
	}
	if docs := k.ExternalDocs; docs != nil {
		line := "+kubebuilder:externalDocs:url=" + quoteText(docs.URL)
		if docs.Description != "" {
			line += ",description=" + quoteText(docs.Description)
		}
		m.addLine(line)
	}
	return m.lines
}

// markers collects marker lines.
type markers struct{ lines []string }

func (m *markers) addLine(line string) { m.lines = append(m.lines, line) }

// addLimits adds the limits of a schema that fit a JSON type.
func (m *markers) addLimits(jsonType string, k *apiextv1.JSONSchemaProps) {
	for _, limit := range spec.KeywordsOf(spec.Limit) {
		value, isSet := limit.LimitText(k)
		if !isSet || !fitsType(limit, jsonType) {
			continue
		}
		if limit.Form() == spec.TextMarker {
			value = quoteText(value)
		}
		m.addLine(validationPrefix + strings.ToUpper(limit.Name[:1]) + limit.Name[1:] + "=" + value)
	}
}

// addFormat adds the format of a node unless its Go type implies it.
func (m *markers) addFormat(s *spec.Schema) {
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
		m.addLine(validationPrefix + "Format=" + quoteText(said))
	}
}

func (m *markers) addEnum(values []apiextv1.JSON) {
	var items []string
	for _, value := range values {
		if !IsScalar(value.Raw) {
			return
		}
		items = append(items, enumItem(value.Raw))
	}
	if len(items) > 0 {
		m.addLine(validationPrefix + "Enum=" + strings.Join(items, ";"))
	}
}

// addUnderlyingType tells controller-gen the JSON type of a Kubernetes type with limits.
// controller-gen checks whether limits fit before it reads the type, and without a type none fits.
func (m *markers) addUnderlyingType(s *spec.Schema) {
	t := JSONType(s)
	if goTypeName(s) == "" || len(MisplacedLimits("", &s.Keywords)) == len(MisplacedLimits(t, &s.Keywords)) {
		return
	}
	switch t {
	case "", "array":
	case intOrString:
		m.addLine(validationPrefix + "XIntOrString")
	default:
		m.addLine(validationPrefix + "Type=" + t)
	}
}

// addTopology adds how lists and maps are merged.
func (m *markers) addTopology(s *spec.Schema) {
	k := &s.Keywords
	if k.XListType != nil {
		m.addLine("+listType=" + *k.XListType)
	}
	for _, key := range k.XListMapKeys {
		m.addLine("+listMapKey=" + markerWord(key))
	}
	if k.XMapType == nil {
		return
	}
	declared := s.Declared()
	t, known := crdgen.TypeOf(s)
	if declared.AdditionalProperties != nil || declared.AdditionalPropertiesAllowed != nil || known && t.Form == kubetypes.Map {
		m.addLine("+mapType=" + *k.XMapType)
	} else {
		m.addLine("+structType=" + *k.XMapType)
	}
}

// addRule adds a CEL rule.
func (m *markers) addRule(r apiextv1.ValidationRule) {
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
	m.addLine(line)
}
