package usertemplates

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

var (
	// noValue matches the message about a value that does not exist.
	noValue = lazyregexp.New(`^can't evaluate field (\w+) in type (.+)$`)
	// isAbsent matches the message about a part of a value that is absent, such as the operator of
	// a kind without one.
	isAbsent = lazyregexp.New(`^nil pointer evaluating \*?(?:usertemplates\.)?(\w+)\.(\w+)$`)
	// noKey matches the message about a key that a dict lacks.
	noKey = lazyregexp.New(`^map has no entry for key (".*")$`)
	// noRange matches the message about a range over a value without items. It goes on with the
	// whole value.
	noRange = lazyregexp.New(`(?s)^range can't iterate over .*$`)
	// isNoFunction matches the message about a value that gets arguments.
	isNoFunction = lazyregexp.New(`^(?:can't give argument to non-function (\S+)|(\w+) (?:is not a method but has arguments|has arguments but cannot be invoked as function))$`)
	// wrongType matches the message about an argument of a wrong type.
	wrongType = lazyregexp.New(`^wrong type for value; expected (.+); got (.+)$`)
	// wrongNumber matches the message about too few or too many arguments.
	wrongNumber = lazyregexp.New(`^wrong number of args for (\w+): want (.+) got (.+)$`)
	// goType matches the name of a Go type.
	goType = lazyregexp.New(`(?:\*|\[\]|map\[string\])*(?:usertemplates\.\w+|interface \{\}|\b(?:string|bool|u?int(?:8|16|32|64)?|float(?:32|64))\b)`)
)

// explainExecution returns what a failure means without Go types, and what to do.
func explainExecution(f failure) (said, hint string) {
	if found := noValue().FindStringSubmatch(f.message); found != nil {
		of := valueType(found[2])
		said = "there is no value ." + found[1] + " here"
		if of == nil {
			said = "a " + typeWord(found[2]) + " has no value ." + found[1]
		}
		return said, hintForValue(found[1], of)
	}
	if found := isAbsent().FindStringSubmatch(f.message); found != nil {
		return "." + found[1] + " is absent here, and with it ." + found[2], "test for it first: {{ with .API." + found[1] + " }}"
	}
	if found := noKey().FindStringSubmatch(f.message); found != nil {
		return "there is no key " + found[1] + " here", "where a key may be missing, write: get DICT " + found[1]
	}
	if noRange().MatchString(f.message) {
		return "there is nothing to range over: the value is no list and no dict", ""
	}
	if found := isNoFunction().FindStringSubmatch(f.message); found != nil {
		return "." + strings.TrimPrefix(found[1]+found[2], ".") + " takes no arguments", "it is a value: write the function first"
	}
	message := strings.NewReplacer("interface conversion: interface {} is", "the argument is", "runtime error: ", "").Replace(f.message)
	message = wrongType().ReplaceAllString(message, "expected $1, got $2")
	message = wrongNumber().ReplaceAllString(message, "$1 has $3 arguments, expected $2")
	message = goType().ReplaceAllStringFunc(message, typeWord)
	if f.function != "" && f.function != "include" && !strings.HasPrefix(message, f.function+" ") {
		message = f.function + ": " + message
	}
	return message, ""
}

// typeWord returns what docs/templates.md calls a type of Go.
func typeWord(name string) string {
	switch {
	case strings.HasPrefix(name, "*"):
		return typeWord(name[1:])
	case strings.HasPrefix(name, "[]"):
		if of := typeWord(name[2:]); of != "value" {
			return "list of " + of
		}
		return "list"
	case strings.HasPrefix(name, "map["):
		return "dict"
	case strings.HasPrefix(name, typePrefix):
		return name[len(typePrefix):]
	}
	switch name {
	case "interface {}":
		return "value"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	}
	return "number"
}
