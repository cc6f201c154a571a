package spec

import (
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/nearest"
)

// TypeWord is a row of the table of types in the shorthand. Its names mean the same.
type TypeWord struct {
	Names        []string
	Type         string // in OpenAPI; empty: any value, or a Kubernetes type
	OpenAPI      string // Markdown: what it stands for
	Go           string // Markdown: its Go type
	Kubernetes   string // the Kubernetes type that it stands for; empty: none
	HasFormat    bool   // the names are formats of Type
	KeepsUnknown bool   // fields that no schema names are kept
}

var typeWords = []TypeWord{
	{Names: []string{"string"}, Type: "string", OpenAPI: "type string", Go: "`string`"},
	{Names: []string{"bool", "boolean"}, Type: "boolean", OpenAPI: "type boolean", Go: "`bool`"},
	{Names: []string{"int32", "int64"}, Type: "integer", HasFormat: true, OpenAPI: "type integer, with the format", Go: "`int32`, `int64`"},
	{Names: []string{"integer"}, Type: "integer", OpenAPI: "type integer", Go: "`int64`"},
	{Names: []string{"float", "double"}, Type: "number", HasFormat: true, OpenAPI: "type number, with the format", Go: "`float32`, `float64`"},
	{Names: []string{"number"}, Type: "number", OpenAPI: "type number", Go: "`float64`"},
	{Names: []string{"time"}, Kubernetes: TypeTime, OpenAPI: "type string, format date-time, with the pattern of what Go reads", Go: "`metav1.Time`"},
	{Names: []string{"duration"}, Kubernetes: TypeDuration, OpenAPI: "type string, with the pattern of what Go reads", Go: "`metav1.Duration`"},
	{Names: []string{"quantity"}, Kubernetes: TypeQuantity, OpenAPI: "int-or-string, with the pattern of what Go reads", Go: "`resource.Quantity`"},
	{Names: []string{"intOrString"}, Kubernetes: TypeIntOrString, OpenAPI: "int-or-string, from -2147483648 to 2147483647", Go: "`intstr.IntOrString`"},
	{Names: []string{"object"}, Type: "object", KeepsUnknown: true, OpenAPI: "type object that keeps unknown fields", Go: "open"},
	{Names: []string{"any"}, KeepsUnknown: true, OpenAPI: "any value", Go: "open"},
}

// TypeWords returns the table of types in the shorthand that are one word.
func TypeWords() []TypeWord { return slices.Clone(typeWords) }

// typeWord returns the row of a word, or nil.
func typeWord(text string) *TypeWord {
	if i := slices.IndexFunc(typeWords, func(w TypeWord) bool { return slices.Contains(w.Names, text) }); i >= 0 {
		return &typeWords[i]
	}
	return nil
}

// impliedKeywords returns the keywords that a word implies: type: integer and format: int32 for
// int32.
func (w *TypeWord) impliedKeywords(name string) props {
	k := props{Type: w.Type}
	if w.HasFormat {
		k.Format = name
	}
	if w.KeepsUnknown {
		k.XPreserveUnknownFields = new(true)
	}
	return k
}

// impliedFormat returns the format that a type of the shorthand implies, or "".
func impliedFormat(typeText string) string {
	if w := typeWord(typeText); w != nil && w.HasFormat {
		return typeText
	}
	return ""
}

// kubernetesWord returns the Kubernetes type for a word, such as meta/v1.Time for time, or "".
func kubernetesWord(text string) string {
	if w := typeWord(text); w != nil {
		return w.Kubernetes
	}
	return ""
}

// openAPITypes are the values of the keyword type in CRDs.
var openAPITypes = []string{"string", "integer", "number", "boolean", "object", "array"}

// OpenAPITypes returns the values of the keyword type in CRDs.
func OpenAPITypes() []string { return slices.Clone(openAPITypes) }

// shorthandTypes returns the words of types, and the prefixes of lists and maps, sorted.
func shorthandTypes() []string {
	all := []string{"[]string", "map[string]string"}
	for _, w := range typeWords {
		all = append(all, w.Names...)
	}
	slices.Sort(all)
	return all
}

// typeHint returns a hint for an unknown type.
func typeHint(name string, known []string) string {
	if best := nearest.Name(name, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	if w := typeWord(name); w != nil && w.HasFormat {
		return "that is a word of the shorthand: in a mapping, write type: " + w.Type + " and format: " + name
	}
	if slices.Contains(shorthandTypes(), name) {
		return "that is a word of the shorthand, which stands in the place of the whole mapping"
	}
	if strings.Contains(name, "/") {
		return "a Kubernetes type is written like core/v1.ResourceRequirements, any other Go type with its import path, like example.com/lib/api.Address"
	}
	return "known: " + strings.Join(known, ", ") + ", Kubernetes types such as core/v1.ResourceRequirements, Go types by their import path, and those under types"
}
