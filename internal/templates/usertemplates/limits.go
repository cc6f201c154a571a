package usertemplates

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"text/template"
)

const (
	maxText    = 16 << 20 // bytes of a text
	maxCounted = 1 << 20  // items of a list
)

var errTooLarge = errors.New("output is too large")

// limitCalls replaces each function by one that fails if its result is too large, or if all calls
// together cost too much. It adds the functions of text/template that return strings, which have no
// limit either.
func limitCalls(functions template.FuncMap, spend func(cost int) error) {
	functions["html"], functions["js"] = template.HTMLEscaper, template.JSEscaper
	functions["urlquery"] = template.URLQueryEscaper
	functions["print"], functions["printf"], functions["println"] = fmt.Sprint, fmt.Sprintf, fmt.Sprintln
	limitArguments(functions)
	for name, function := range functions {
		functions[name] = limitCall(function, spend)
	}
}

// limitCall returns a function that fails instead of returning a string or a list that is too
// large. It spends one unit for a call, and one more for each 64 bytes or items of its arguments
// and result: otherwise a loop that joins results would grow exponentially.
func limitCall(function any, spend func(cost int) error) any {
	call, of := reflect.ValueOf(function), reflect.TypeOf(function)
	var in []reflect.Type
	for i := range of.NumIn() {
		in = append(in, of.In(i))
	}
	failure := reflect.TypeFor[error]()
	limited := reflect.FuncOf(in, []reflect.Type{of.Out(0), failure}, of.IsVariadic())
	return reflect.MakeFunc(limited, func(args []reflect.Value) []reflect.Value {
		var results []reflect.Value
		if of.IsVariadic() {
			results = call.CallSlice(args)
		} else {
			results = call.Call(args)
		}
		if len(results) == 1 {
			results = append(results, reflect.Zero(failure))
		}
		size := sizeOf(results[0])
		for _, arg := range args {
			size += sizeOf(arg)
		}
		err := spend(1 + size/64)
		if isTooLarge(results[0]) {
			err = errTooLarge
		}
		if err != nil {
			return []reflect.Value{reflect.Zero(of.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		return results
	}).Interface()
}

func isTooLarge(result reflect.Value) bool {
	if result.Kind() == reflect.Interface {
		result = result.Elem()
	}
	if result.Kind() == reflect.String {
		return result.Len() > maxText
	}
	return sizeOf(result) > maxCounted
}

// sizeOf returns the number of bytes of a string, or of items of a list or a dict.
func sizeOf(value reflect.Value) int {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	switch value.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return value.Len()
	}
	return 0
}

// limitArguments replaces the functions that take too long for large numbers in a single call.
func limitArguments(functions template.FuncMap) {
	repeat, replace := functions["repeat"].(func(int, string) string), functions["replace"].(func(string, string, string) string)
	functions["repeat"] = func(count int, text string) (string, error) {
		if count < 0 || len(text) > 0 && count > maxText/len(text) {
			return "", errTooLarge
		}
		return repeat(count, text), nil
	}
	functions["replace"] = func(old, by, text string) (string, error) {
		if len(by) > 0 && strings.Count(text, old) > maxText/len(by) {
			return "", errTooLarge
		}
		return replace(old, by, text), nil
	}
	for _, name := range []string{"indent", "nindent"} {
		indent := functions[name].(func(int, string) string)
		functions[name] = func(spaces int, text string) (string, error) {
			if spaces < 0 || spaces > maxText/(strings.Count(text, "\n")+1) {
				return "", errTooLarge
			}
			return indent(spaces, text), nil
		}
	}
	limitCounts(functions)
}

// limitCounts replaces the functions that return ranges of numbers.
func limitCounts(functions template.FuncMap) {
	until, untilStep := functions["until"].(func(int) []int), functions["untilStep"].(func(int, int, int) []int)
	seq := functions["seq"].(func(...int) string)
	functions["until"] = func(count int) ([]int, error) {
		if !isCountable(0, count, 1) {
			return nil, errTooLarge
		}
		return until(count), nil
	}
	functions["untilStep"] = func(start, stop, step int) ([]int, error) {
		if !isCountable(start, stop, step) {
			return nil, errTooLarge
		}
		return untilStep(start, stop, step), nil
	}
	functions["seq"] = func(bounds ...int) (string, error) {
		first, step, last := 0, 1, 0
		switch len(bounds) {
		case 1:
			last = bounds[0]
		case 2:
			first, last = bounds[0], bounds[1]
		case 3:
			first, step, last = bounds[0], bounds[1], bounds[2]
		}
		if !isCountable(first, last, step) {
			return "", errTooLarge
		}
		return seq(bounds...), nil
	}
}

// isCountable reports whether a range of numbers is short enough.
func isCountable(start, stop, step int) bool {
	return step == 0 || math.Abs((float64(stop)-float64(start))/float64(step)) <= maxCounted
}
