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
	// located is a message of text/template: where, and what.
	located = lazyregexp.New(`(?s)^template: (#\d+):(\d+)(?::(\d+))?: (.*)$`)
	// executing is how they go on when a template is executed.
	executing = lazyregexp.New(`(?s)^executing ".*?" at <(.*?)>: (.*)$`)
	// calling comes before the message of a function.
	calling = lazyregexp.New(`(?s)^error calling (\w+): (.*)$`)
	// unclosed is the message of an action without an end, which goes on with the place of its
	// beginning.
	unclosed = lazyregexp.New(`(?s)^unclosed action(?: started at .*:(\d+))?$`)
	// quoted is a part of a template in a message.
	quoted = lazyregexp.New(`"((?:[^"\\]|\\.)+)"`)
)

// failure is an error of text/template, taken apart.
type failure struct {
	text     text
	line     int // in the text; 0: unknown
	column   int // in bytes, from 0; negative: unknown
	message  string
	function string // that returned the message; empty: none
}

// problemOf returns an error of text/template in the text of a name at its place, which is the
// innermost one: that in a template which another one calls.
func (s *Set) problemOf(name string, err error) spec.Problem {
	f := failure{text: s.texts[name], message: err.Error(), column: -1}
	for s.cutPlace(&f) {
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
	case errors.Is(err, errTooMany) && f.function == "":
		message, hint = errTooMany.Error(), "the limit is 16 MiB"
	case f.function == "fail" || strings.HasPrefix(f.function, "opgen_"): // the message is written for users
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

// cutPlace takes the place off the message of a failure. It reports false if the message has none.
func (s *Set) cutPlace(f *failure) bool {
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

// positionOf returns the place of a failure. For errors of syntax, text/template knows the line
// alone: the column is that of the part that the message quotes, or of the first action of the line.
func (s *Set) positionOf(f failure) spec.Pos {
	pos := spec.Pos{File: s.source.Place(f.text.file), Line: 1, Column: 1}
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
	if found := noValue().FindStringSubmatch(f.message); found != nil { // of .API.Names.Kind, the name that is wrong
		if at := strings.Index(line[column:], "."+found[1]); at >= 0 {
			column += at
		}
	}
	pos.Column = utf8.RuneCountInString(line[:column]) + 1
	return pos
}

// explainSyntax says what an error of syntax means.
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

// valueType returns the type of values by the name that messages of text/template have for it, nil
// for other names.
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

// namesIn returns the names of the values that a type has.
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

// pathsWith are paths of templates that name a value.
var pathsWith = map[string]string{
	"API": "docs/{{ lower .API.Kind }}.md.tmpl", "Version": "docs/{{ lower .API.Kind }}-{{ .Version.Name }}.md.tmpl",
}

// hintForValue says what to write for a value that is not there.
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
