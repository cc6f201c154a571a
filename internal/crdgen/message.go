package crdgen

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// errorMessage returns the message of an error of the API server. It has the invalid value only if
// that is a scalar; the API server's own text has whole objects.
func errorMessage(err *field.Error) string {
	detail := shortenDetail(err.Detail)
	switch value := err.BadValue.(type) {
	case string:
		if err.Type == field.ErrorTypeNotSupported {
			return fmt.Sprintf("%q is not supported: %s", value, detail)
		}
		if err.Type == field.ErrorTypeInvalid && value != "" && !strings.HasSuffix(err.Field, ".rule") {
			return fmt.Sprintf("%q is invalid: %s", value, detail)
		}
	case int, int32, int64, float64, bool:
		return fmt.Sprintf("%v is invalid: %s", value, detail)
	}
	switch {
	case detail != "":
		return detail
	case err.Type == field.ErrorTypeRequired:
		return "is required"
	default:
		return strings.ToLower(err.Type.String())
	}
}

// Parts of the API server's messages that repeat the position, or give advice that hints give
// better.
var (
	bodyPrefix     = lazyregexp.New(`^\S* ?in body `)
	wrongType      = lazyregexp.New(`^must be of type (\w+): "(\w+)"$`)
	wrongRange     = lazyregexp.New(`^Checked value must be of type \w+ with format (\w+) in.*$`)
	labelForm      = lazyregexp.New(` \(e\.g\. .*, regex used for validation is '.*'\)$`)
	expectedTokens = lazyregexp.New(` expecting \{.*\}`)
	costAdvice     = lazyregexp.New(` \(try simplifying the rule[^)]*\)`)
)

func shortenDetail(detail string) string {
	detail = bodyPrefix().ReplaceAllString(detail, "")
	detail = wrongType().ReplaceAllString(detail, "must be of type $1, not $2")
	detail = wrongRange().ReplaceAllString(detail, "does not fit $1")
	detail = labelForm().ReplaceAllString(detail, "")
	detail = costAdvice().ReplaceAllString(detail, "")
	detail = strings.ReplaceAll(detail, " to be structural", " within allOf, anyOf, oneOf and not")
	detail = expectedTokens().ReplaceAllString(detail, "")
	detail = strings.ReplaceAll(detail, "mismatched input '<EOF>'", "the expression ends too early")
	return celDetail(detail)
}

// celDetail shortens an error of the CEL compiler to the message and its position in the rule:
//
//	compilation failed: ERROR: <input>:1:6: undefined field 'foo'
//	 | self.foo                                                      → undefined field 'foo' (column 6 of the rule)
//	 | .....^
func celDetail(detail string) string {
	const prefix = "compilation failed: ERROR: <input>:"
	detail = strings.TrimPrefix(detail, "messageExpression ") // the path has it
	if !strings.HasPrefix(detail, prefix) {
		return detail
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(detail, prefix), "\n")
	parts := strings.SplitN(first, ":", 3)
	if len(parts) != 3 {
		return detail
	}
	where := "column " + parts[1] + " of the rule"
	if parts[0] != "1" {
		where = "line " + parts[0] + ", " + where
	}
	text := strings.TrimSuffix(strings.TrimSpace(parts[2]), " (in container '')")
	return fmt.Sprintf("%s (%s)", text, where)
}

// unsatisfiableHint is for enums that some published CRDs have.
const unsatisfiableHint = "if that is intended, accept it with acceptWarnings: [unsatisfiable]"

// hintFor returns what to do about a message of the API server on a place, or "".
func hintFor(path, message string) string {
	if message == "is required" && strings.Contains(path, ".default.") {
		return "the API server takes a default only with all that is required: give it the field, or make the field optional"
	}
	if strings.HasPrefix(message, `".metadata.`) && strings.HasSuffix(message, "must be a valid path") {
		return "the schema has no fields of metadata: leave fieldPath out; maxNameLength limits the name without a rule"
	}
	for _, h := range hints {
		if strings.Contains(message, h.in) {
			return h.hint
		}
	}
	return ""
}

var hints = []struct{ in, hint string }{
	{"it is accepted from", "set minKubernetes to that version, or write another rule"},
	{"oldSelf cannot be used", "the API server must know which old item belongs to which new one: use x-kubernetes-list-type: map"},
	{"within allOf, anyOf, oneOf and not", "allOf, anyOf, oneOf and not can only limit what the properties beside them declare"},
	{"protected groups", `choose a group of your own; if the Kubernetes project has approved the API, add metadata: {annotations: {api-approved.kubernetes.io: "https://…"}}, or +kubebuilder:metadata:annotations="api-approved.kubernetes.io=https://…" above the Go type`},
	{"null is not of type", "write nullable: true to allow it"},
	{"unsupported Perl syntax", "the API server uses the regular expressions of Go, without lookahead, lookbehind and backreferences"},
	{"must not specify anything other than name", "name and generateName can have a pattern and limits; nothing else of metadata can"},
	{"is listed twice, first as", unsatisfiableHint}, {"is not of type", unsatisfiableHint},
	{"undeclared reference to", "a rule has self, oldSelf, and the functions of CEL and of Kubernetes"},
	{"found no matching overload", "the types do not go together: convert one of them, such as string(self.x)"},
	{"cannot be range of a comprehension", "all, exists, map and filter go through lists and maps"},
	{"must be a simple name", "the first argument names an element: self.all(x, x != '')"},
	{"additionalProperties and properties are mutual exclusive", "keep one of the two: fields by their names, or a map of values"},
	{"must be a valid regular expression", "the syntax is that of Go: https://pkg.go.dev/regexp/syntax"},
	{"must not have unknown fields", "declare the fields under properties, or leave them out of the default"},
	{"must be object if parent array's", "use x-kubernetes-list-type: set for a list of strings, numbers or booleans"},
	{"must be atomic as item of a list", "write x-kubernetes-map-type: atomic at the items, or use x-kubernetes-list-type: map"},
	{"uniqueItems cannot be set to true", "use x-kubernetes-list-type: set"},
	{"must not be empty for specified", "give it a type, or x-kubernetes-preserve-unknown-fields: true for anything"},
}
