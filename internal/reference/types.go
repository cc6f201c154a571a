package reference

import (
	"strings"
)

// typeWord is a type of the shorthand.
type typeWord struct {
	names      []string
	openAPI    string // what it stands for, in Markdown
	goType     string // in Markdown
	kind       string // its type in OpenAPI; empty: any value
	formatted  bool   // it says its format already
	kubernetes bool   // it names a type of Kubernetes or of the file, which takes every marker
}

// typeWords are the types of the shorthand that are one word.
func typeWords() []typeWord {
	return []typeWord{
		{names: []string{"string"}, kind: "string", openAPI: "type string", goType: "`string`"},
		{names: []string{"bool", "boolean"}, kind: "boolean", openAPI: "type boolean", goType: "`bool`"},
		{names: []string{"int32", "int64"}, kind: "integer", formatted: true, openAPI: "type integer, with the format", goType: "`int32`, `int64`"},
		{names: []string{"integer"}, kind: "integer", openAPI: "type integer", goType: "`int64`"},
		{names: []string{"float", "double"}, kind: "number", formatted: true, openAPI: "type number, with the format", goType: "`float32`, `float64`"},
		{names: []string{"number"}, kind: "number", openAPI: "type number", goType: "`float64`"},
		{names: []string{"time"}, kubernetes: true, openAPI: "type string, format date-time, with the pattern of what Go reads", goType: "`metav1.Time`"},
		{names: []string{"duration"}, kubernetes: true, openAPI: "type string, with the pattern of what Go reads", goType: "`metav1.Duration`"},
		{names: []string{"quantity"}, kubernetes: true, openAPI: "int-or-string, with the pattern of what Go reads", goType: "`resource.Quantity`"},
		{names: []string{"intOrString"}, kubernetes: true, openAPI: "int-or-string, from -2147483648 to 2147483647", goType: "`intstr.IntOrString`"},
		{names: []string{"object"}, kind: "object", openAPI: "type object that keeps unknown fields", goType: "open"},
		{names: []string{"any"}, openAPI: "any value", goType: "open"},
	}
}

// byName matches every type that is named: of Kubernetes, of Go by its import path, and under types.
const byName = kubernetesType + "|" + goType + "|" + namedType

// Types that are no words. Prefixes may be repeated: map[string][]int32.
const (
	kubernetesType = `[a-z][a-z0-9]*(?:/v[a-z0-9]+)?\.[A-Z][A-Za-z0-9]*`
	// An import path of two elements, of which the second is a version, would be a Kubernetes type with its whole group.
	goType      = pathElement + `(?:/` + pathElement + `/` + pathElement + `(?:/` + pathElement + `)*|/(?:[A-Za-uw-z0-9_~-]|v[A-Za-z_.~-])[A-Za-z0-9._~-]*)\.[A-Za-z_][A-Za-z0-9_]*`
	pathElement = `[A-Za-z0-9._~-]+`
	namedType   = `[A-Z][A-Za-z0-9]{0,62}`
	listPrefix  = `\[\]`
	mapPrefix   = `map\[string\]`
)

// kubernetesWords matches the words that stand for a Kubernetes type.
func kubernetesWords() string {
	var names []string
	for _, w := range typeWords() {
		if w.kubernetes {
			names = append(names, w.names...)
		}
	}
	return strings.Join(names, "|")
}
