package gomarkers

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/nearest"
)

// Explain returns what is wrong with the text of a marker that its definition in controller-tools
// cannot parse, and what to write. The hint is "" if nothing better than an example can be said.
func Explain(definition *markers.Definition, text string, err error) (message, hint string) {
	first := firstMessage(err)
	name, value, hasValue := strings.Cut(text, "=")
	name = strings.TrimSuffix(name, ":")
	anonymous := definition.AnonymousField()
	switch kind, about, _ := strings.Cut(first, ": "); {
	case strings.HasPrefix(first, "unknown argument "):
		return explainUnknown(definition, strings.Trim(strings.TrimPrefix(first, "unknown argument "), `"`))
	case first == `missing argument ""`, anonymous && (!hasValue || value == ""):
		return "has no value", "write it behind =, such as " + name + "=" + exampleOf(definition)
	case strings.HasPrefix(first, "missing argument "):
		missing := strings.Trim(strings.TrimPrefix(first, "missing argument "), `"`)
		return first, "write " + missing + "=… behind the colon"
	case definition.Empty():
		return "takes no value", "write " + name
	case anonymous && isText(definition):
		return "the value is no text: a quote is missing, or it has characters that stand in quotes only", "quote it: " + name + "=" + quoted(value)
	case strings.HasPrefix(kind, "extra arguments provided"):
		return "has more behind its value than can be read, at " + about, "quote values that have spaces or other characters than letters and digits"
	case first == "literal not terminated":
		return "a quote is opened and not closed", "close it, or write text that has a quote between back quotes"
	case strings.Contains(first, "strconv."):
		return strconv.Quote(value) + " is no number", "such as " + name + "=1"
	case strings.HasPrefix(first, "invalid character "), strings.HasPrefix(first, "unexpected end of JSON"):
		return strconv.Quote(value) + " is no JSON: " + first, "write text in quotes: " + name + "=" + strconv.Quote(value)
	}
	if anonymous {
		return first, "such as " + name + "=" + exampleOf(definition)
	}
	return first, ""
}

// firstMessage returns the first of the messages of an error, without its place in the text.
func firstMessage(err error) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "["), " (at ")
	return first
}

func explainUnknown(definition *markers.Definition, argument string) (message, hint string) {
	known := slices.Sorted(maps.Keys(definition.Fields))
	message = "unknown argument " + strconv.Quote(argument)
	if meant := nearest.Name(argument, known); meant != "" {
		return message, "did you mean " + meant + "?"
	}
	return message, "accepted: " + strings.Join(known, ", ")
}

func isText(definition *markers.Definition) bool {
	return definition.Fields[""].Type == markers.StringType
}

// exampleOf returns a value of a marker without arguments.
func exampleOf(definition *markers.Definition) string {
	switch definition.Fields[""].Type {
	case markers.IntType, markers.NumberType:
		return "1"
	case markers.BoolType:
		return "true"
	case markers.SliceType:
		return "a;b"
	case markers.AnyType:
		return "{a: 1, b: \"text\"}"
	}
	return "`text`"
}

// quoted returns the text that a value without proper quotes means, in quotes that markers read.
func quoted(value string) string {
	for _, quote := range []string{`"`, "`", "'"} {
		if trimmed, found := strings.CutPrefix(value, quote); found {
			value = strings.TrimSuffix(trimmed, quote)
			break
		}
	}
	if strings.Contains(value, "`") {
		return strconv.Quote(value)
	}
	return "`" + value + "`"
}
