package usertemplates

import (
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"errors"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/nearest"
	"github.com/opgen-dev/opgen/internal/spec"
)

var (
	// located matches a message of text/template with its position.
	located = lazyregexp.New(`(?s)^template: (#\d+):(\d+)(?::(\d+))?: (.*)$`)
	// executing matches the rest of the message of an error at execution.
	executing = lazyregexp.New(`(?s)^executing ".*?" at <(.*?)>: (.*)$`)
	// calling matches the rest of the message of an error that a function has returned.
	calling = lazyregexp.New(`(?s)^error calling (\w+): (.*)$`)
	// unclosed matches the message about an action without an end. It goes on with where the action
	// begins.
	unclosed = lazyregexp.New(`(?s)^unclosed action(?: started at .*:(\d+))?$`)
	// quoted matches a part of a template that a message quotes.
	quoted = lazyregexp.New(`"((?:[^"\\]|\\.)+)"`)
)

// failure is an error of text/template, split into its parts.
type failure struct {
	text     text
	line     int // in the text; 0: unknown
	column   int // in bytes, from 0; negative: unknown
	message  string
	function string // that has returned the message; empty: none
}

// problemOf returns an error of text/template as a problem. If templates call each other, its
// position is in the innermost one.
func (s *Set) problemOf(name string, err error) spec.Problem {
	f := failure{text: s.texts[name], message: err.Error(), column: -1}
	for s.cutPosition(&f) {
		if found := executing().FindStringSubmatch(f.message); found != nil {
			f.message = found[2]
		}
		if found := calling().FindStringSubmatch(f.message); found != nil {
			f.function, f.message = found[1], found[2]
		}
	}
	message, hint := f.message, ""
	var executed template.ExecError
	switch {
	case errors.Is(err, errTooLarge) && f.function == "":
		message, hint = errTooLarge.Error(), "the limit is 16 MiB"
	case f.function == "fail" || strings.HasPrefix(f.function, "opgen_"): // these messages are written for users
	case errors.As(err, &executed):
		message, hint = explainExecution(f)
	default:
		if found := unclosed().FindStringSubmatch(message); found != nil && found[1] != "" {
			f.line, _ = strconv.Atoi(found[1])
		}
		message, hint = explainSyntax(message)
	}
	if f.text.isPath {
		message = "its path: " + message
	}
	return spec.Problem{Pos: s.positionOf(f), Message: message, Hint: hint}
}

// cutPosition moves the position from the message of a failure into its fields. It reports false if
// the message has none.
func (s *Set) cutPosition(f *failure) bool {
	parts := located().FindStringSubmatch(f.message)
	if parts == nil {
		return false
	}
	f.text, f.message, f.function, f.column = s.texts[parts[1]], parts[4], "", -1
	f.line, _ = strconv.Atoi(parts[2])
	if column, err := strconv.Atoi(parts[3]); err == nil {
		f.column = column
	}
	return true
}

// positionOf returns the position of a failure. text/template only knows the line of a syntax
// error; the column is that of the quoted part of the template, or of the first action of the line.
func (s *Set) positionOf(f failure) spec.Pos {
	pos := spec.Pos{File: s.source.DisplayName(f.text.file), Line: 1, Column: 1}
	if f.text.isPath || f.line < 1 || f.line > len(f.text.lines) {
		return pos
	}
	line := f.text.lines[f.line-1]
	pos.Line = f.line + f.text.skip
	column := f.column
	if column < 0 {
		column = max(strings.Index(line, "{{"), 0)
		for _, found := range quoted().FindAllStringSubmatch(f.message, -1) {
			if at := strings.Index(line, found[1]); at >= 0 {
				column = at
				break
			}
		}
	}
	column = min(column, len(line))
	if found := noValue().FindStringSubmatch(f.message); found != nil { // for example, for .API.Names.Kind the name that does not exist
		if at := strings.Index(line[column:], "."+found[1]); at >= 0 {
			column += at
		}
	}
	pos.Column = utf8.RuneCountInString(line[:column]) + 1
	return pos
}

// explainSyntax returns what a syntax error means and what to do.
func explainSyntax(message string) (said, hint string) {
	switch {
	case message == "unexpected EOF":
		return "ends too early", "an if, range, with, define or block lacks its {{ end }}"
	case unclosed().MatchString(message):
		return "the action is not closed", "write }} behind it"
	case strings.HasPrefix(message, "undefined variable"):
		return strings.Replace(message, "undefined variable", "there is no variable", 1), "assign it before, in the same block or around it: {{ $name := … }}"
	}
	return strings.TrimSuffix(message, " in operand"), ""
}

// valueType returns the type of values that a message of text/template names, nil if it is none.
func valueType(name string) reflect.Type {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "*"), typePrefix)
	for _, known := range valueTypes {
		if known.Name() == name {
			return known
		}
	}
	return nil
}

const typePrefix = "usertemplates."

// valueTypes are the types of values.go and values_operators.go.
var valueTypes = []reflect.Type{
	reflect.TypeFor[Values](), reflect.TypeFor[apiValues](), reflect.TypeFor[versionValues](), reflect.TypeFor[Project](),
	reflect.TypeFor[API](), reflect.TypeFor[Version](), reflect.TypeFor[Field](), reflect.TypeFor[Limit](), reflect.TypeFor[Rule](),
	reflect.TypeFor[Column](), reflect.TypeFor[Operator](), reflect.TypeFor[Controller](), reflect.TypeFor[Resource](),
	reflect.TypeFor[Child](), reflect.TypeFor[Role](), reflect.TypeFor[PolicyRule](),
}

// namesIn returns the names of a type's values.
func namesIn(t reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if field.IsExported() && !field.Anonymous {
			names = append(names, field.Name)
		}
	}
	if _, found := t.MethodByName("Sample"); found {
		names = append(names, "Sample")
	}
	return names
}

// pathsWith are example paths of templates that make a value available.
var pathsWith = map[string]string{
	"API": "docs/{{ lower .API.Kind }}.md.tmpl", "Version": "docs/{{ lower .API.Kind }}-{{ .Version.Name }}.md.tmpl",
}

// hintForValue returns what to write instead of a name that does not exist.
func hintForValue(name string, of reflect.Type) string {
	switch {
	case of == nil:
		return ""
	case (name == "API" || name == "Version") && (of == valueTypes[0] || of == valueTypes[1]):
		return "a template has ." + name + " if its path names it, such as " + pathsWith[name] + "; any other can range over .APIs"
	}
	names := namesIn(of)
	if close := nearest.Name(name, names); close != "" {
		return "did you mean ." + close + "?"
	}
	return "it has: " + strings.Join(names, ", ")
}
