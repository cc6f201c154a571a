package usertemplates

import (
	"errors"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"text/template"
)

const (
	maxPattern     = 10000 // bytes of a regular expression
	maxExpressions = 10000 // characters and operators that it consists of when repetitions are written out
)

var errPattern = errors.New("the regular expression is too large")

// limitRegexps replaces the functions of regular expressions by ones that spend what a search costs, and that fail if a
// result is too large. The pattern is the first argument, and the text the second.
func limitRegexps(functions template.FuncMap, spend func(cost int) error) {
	search := func(pattern, text string) error {
		size, err := patternSize(pattern)
		if err != nil {
			return err
		}
		return spend(size/16 + size*(len(text)/64+1)/8)
	}
	for _, name := range []string{"regexMatch", "regexFind", "mustRegexMatch", "mustRegexFind"} {
		functions[name] = beforeSearch(functions[name], search)
	}
	for _, name := range []string{"regexFindAll", "regexSplit", "mustRegexFindAll", "mustRegexSplit"} {
		all := reflect.ValueOf(beforeSearch(functions[name], search))
		functions[name] = func(pattern, text string, most int) ([]string, error) {
			if most < 0 || most > maxCounted {
				most = maxCounted + 1 // which is too large a result
			}
			results := all.Call([]reflect.Value{reflect.ValueOf(pattern), reflect.ValueOf(text), reflect.ValueOf(most)})
			err, _ := results[1].Interface().(error)
			list, _ := results[0].Interface().([]string)
			return list, err
		}
	}
	for _, name := range []string{"regexReplaceAll", "regexReplaceAllLiteral", "mustRegexReplaceAll", "mustRegexReplaceAllLiteral"} {
		replace := reflect.ValueOf(beforeSearch(functions[name], search))
		functions[name] = func(pattern, text, by string) (string, error) {
			if err := search(pattern, text); err != nil {
				return "", err
			}
			if !fitsReplaced(pattern, text, by) {
				return "", errTooLarge
			}
			results := replace.Call([]reflect.Value{reflect.ValueOf(pattern), reflect.ValueOf(text), reflect.ValueOf(by)})
			err, _ := results[1].Interface().(error)
			return results[0].String(), err
		}
	}
}

// beforeSearch returns a function that calls search first. Its own errors come second, as those of all functions here.
func beforeSearch(function any, search func(pattern, text string) error) any {
	called, of := reflect.ValueOf(function), reflect.TypeOf(function)
	var in []reflect.Type
	for i := range of.NumIn() {
		in = append(in, of.In(i))
	}
	failure := reflect.TypeFor[error]()
	return reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{of.Out(0), failure}, false), func(args []reflect.Value) []reflect.Value {
		if err := search(args[0].String(), args[1].String()); err != nil {
			return []reflect.Value{reflect.Zero(of.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		results := called.Call(args)
		if len(results) == 1 {
			results = append(results, reflect.Zero(failure))
		}
		return results
	}).Interface()
}

// fitsReplaced reports whether a text is small enough after each match has been replaced. A replacement may contain each
// match as often as it has a $.
func fitsReplaced(pattern, text, by string) bool {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return true // the function reports it
	}
	matches, matched := 0, 0
	compiled.ReplaceAllStringFunc(text, func(match string) string {
		matches, matched = matches+1, matched+len(match)
		return ""
	})
	references := strings.Count(by, "$")
	return matches*len(by)/maxText == 0 && (references == 0 || matched <= 2*maxText/references)
}

// patternSize returns the size of a regular expression in which repetitions are written out.
func patternSize(pattern string) (int, error) {
	if len(pattern) > maxPattern {
		return 0, errPattern
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, nil //nolint:nilerr // the function reports it
	}
	size := sizeOfPattern(parsed)
	if size > maxExpressions {
		return 0, errPattern
	}
	return size, nil
}

func sizeOfPattern(e *syntax.Regexp) int {
	size := 1 + len(e.Rune)
	for _, part := range e.Sub {
		size = min(size+sizeOfPattern(part), maxExpressions+1)
	}
	if e.Op == syntax.OpRepeat {
		size *= max(e.Min, e.Max, 1)
	}
	return min(size, maxExpressions+1)
}
