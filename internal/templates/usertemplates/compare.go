package usertemplates

import (
	"errors"
	"reflect"
	"strings"
	"text/template"
)

// comparisons are the functions of text/template that compare two values. eq compares one with several.
var comparisons = strings.Fields("eq ne lt le gt ge")

// limitComparisons adds comparisons that spend what they cost. Those of text/template print values that cannot be
// compared, however large they are.
func limitComparisons(functions template.FuncMap, spend func(cost int) error) {
	for _, name := range comparisons {
		builtin := template.Must(template.New(name).Parse("{{ " + name + " .First .Second }}"))
		compare := func(first, second reflect.Value) (bool, error) {
			e, err := measure(first, second)
			if err == nil {
				err = spend(1 + e.values/16 + e.bytes/1024)
			}
			if err != nil {
				return false, err
			}
			var answer strings.Builder
			err = builtin.Execute(&answer, struct{ First, Second reflect.Value }{first, second})
			return answer.String() == "true", causeOf(err)
		}
		if functions[name] = compare; name == "eq" {
			functions[name] = compareWithSeveral(compare)
		}
	}
}

// compareWithSeveral returns a function that reports whether its first argument equals another one.
func compareWithSeveral(equal func(first, second reflect.Value) (bool, error)) any {
	return func(first reflect.Value, others ...reflect.Value) (bool, error) {
		if len(others) == 0 {
			return false, errors.New("missing argument for comparison")
		}
		for _, other := range others {
			if equals, err := equal(first, other); equals || err != nil {
				return equals, err
			}
		}
		return false, nil
	}
}

// causeOf returns what a function returned that text/template called.
func causeOf(err error) error {
	var executing template.ExecError
	if errors.As(err, &executing) {
		if cause := errors.Unwrap(executing.Err); cause != nil {
			return cause
		}
	}
	return err
}
