package usertemplates

import (
	"path"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

var (
	// located is a message of text/template: where, and what.
	located = lazyregexp.New(`(?s)^template: (.+?):(\d+)(?::(\d+))?: (.*)$`)
	// executing is how its messages go on when a template is executed.
	executing = lazyregexp.New(`(?s)^executing ".*?" at <(.*?)>: (.*)$`)
	// calling comes before the message of a function.
	calling = lazyregexp.New(`(?s)^error calling (\w+): (.*)$`)
	// noField is its message for a value that is not there.
	noField = lazyregexp.New(`can't evaluate field (\w+) in type (\S+)`)
	// quoted is a part of a template in a message.
	quoted = lazyregexp.New(`"((?:[^"\\]|\\.)+)"`)
)

// place is how messages and the lock name a template.
func (s *Set) place(name string) string { return path.Join(s.source, name) }

// problemOf returns an error of text/template at its place. The text is that of the template if it could not be parsed.
func (s *Set) problemOf(name, text string, err error) spec.Problem {
	problem := spec.Problem{Pos: spec.Pos{File: s.place(name)}}
	message := err.Error()
	for { // the innermost place counts: that of a template which another one includes
		found := located().FindStringSubmatch(message)
		if found == nil {
			break
		}
		problem.Pos.File = s.place(found[1])
		problem.Pos.Line, _ = strconv.Atoi(found[2])
		if column, err := strconv.Atoi(found[3]); err == nil {
			problem.Pos.Column = column + 1
		}
		message = found[4]
		if at := executing().FindStringSubmatch(message); at != nil {
			message = at[2]
		}
		called := calling().FindStringSubmatch(message)
		if called == nil {
			break
		}
		message = called[2]
		if called[1] != "include" && called[1] != "fail" && !strings.HasPrefix(message, called[1]+" ") {
			message = called[1] + ": " + message
		}
	}
	if problem.Pos.Column == 0 {
		problem.Pos.Column = columnOf(text, problem.Pos.Line, message)
	}
	problem.Message, problem.Hint = explain(message)
	return problem
}

// pathProblem returns an error in the path of a template.
func (s *Set) pathProblem(name string, err error) spec.Problem {
	problem := s.problemOf(name, name, err)
	problem.Pos = spec.Pos{File: s.place(name)}
	problem.Message = "its path: " + problem.Message
	return problem
}

// columnOf returns where in its line an error is for which text/template tells the line alone: at the part that the
// message quotes, or else at the first action of the line.
func columnOf(text string, line int, message string) int {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return 1
	}
	written := lines[line-1]
	for _, found := range quoted().FindAllStringSubmatch(message, -1) {
		if at := strings.Index(written, found[1]); at >= 0 {
			return at + 1
		}
	}
	return max(strings.Index(written, "{{"), 0) + 1
}

// explain says what a message of text/template means, without the names of Go types, and what to do.
func explain(message string) (said, hint string) {
	found := noField().FindStringSubmatch(message)
	if found == nil {
		return message, ""
	}
	names := namesIn(found[2])
	hint = "see the values of templates in docs/templates.md"
	if len(names) > 0 {
		hint = "it has: " + strings.Join(names, ", ")
	}
	if meant := spec.Closest(found[1], names); meant != "" {
		hint = "did you mean ." + meant + "?"
	}
	return "there is no value ." + found[1] + " here", hint
}
