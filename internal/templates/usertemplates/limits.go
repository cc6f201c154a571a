package usertemplates

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"
)

const (
	maxText      = 16 << 20 // bytes of a text
	maxCounted   = 1 << 20  // items of a list
	maxArguments = 1000     // of a call
)

var (
	errTooLarge  = errors.New("output is too large")
	errArguments = errors.New("has more than 1000 arguments")
)

// limitCalls replaces each function by one that fails if its result would be too large, or if all calls together cost too
// much. It adds those functions of text/template that have no limits either.
func limitCalls(functions template.FuncMap, r *run) {
	functions["html"], functions["js"] = template.HTMLEscaper, template.JSEscaper
	functions["urlquery"] = template.URLQueryEscaper
	functions["print"], functions["printf"], functions["println"] = fmt.Sprint, fmt.Sprintf, fmt.Sprintln
	limitArguments(functions)
	limitRegexps(functions, r.spend)
	for name, function := range functions {
		functions[name] = limitCall(name, function, r)
	}
	limitComparisons(functions, r.spend)
}

// shallow are the functions that look at their arguments, and not at what these contain.
var shallow = strings.Fields(`all any append chunk coalesce compact concat default dig empty first get hasKey include initial keys kindIs
	kindOf last list mustAppend mustChunk mustCompact mustFirst mustInitial mustLast mustPrepend mustPush mustRest mustReverse
	omit pick pluck prepend push rest reverse set ternary tuple typeIs typeIsLike typeOf unset values`)

// selecting are the functions whose result exists before the call.
var selecting = strings.Fields(`coalesce default dig first get last merge mergeOverwrite mustFirst mustLast mustMerge mustMergeOverwrite set ternary unset`)

// printing are the functions that print values as fmt does.
var printing = strings.Fields(`cat html join js print printf println quote sortAlpha squote toString toStrings urlquery`)

// growth is how many bytes a function makes of one at most. It is 4 for those that are not listed.
var growth = map[string]int{"html": 5, "js": 6, "printf": 10, "quote": 10, "toJson": 6, "toPrettyJson": 6, "toRawJson": 6,
	"mustToJson": 6, "mustToPrettyJson": 6, "mustToRawJson": 6}

// call is a function that templates call, with what it costs.
type call struct {
	name string
	run  *run
}

// limitCall returns a function that fails instead of returning a string or a list that is too large. A call spends one
// unit, and more for the bytes and items that it reads and makes: otherwise a loop that joins results would grow
// exponentially. What can be known of the result is checked before the call.
func limitCall(name string, function any, r *run) any {
	c := call{name, r}
	called, of := reflect.ValueOf(function), reflect.TypeOf(function)
	var in []reflect.Type
	for i := range of.NumIn() {
		in = append(in, of.In(i))
	}
	failure := reflect.TypeFor[error]()
	limited := reflect.FuncOf(in, []reflect.Type{of.Out(0), failure}, of.IsVariadic())
	return reflect.MakeFunc(limited, func(args []reflect.Value) []reflect.Value {
		err := c.begin(given(args, of.IsVariadic()))
		results := []reflect.Value{reflect.Zero(of.Out(0))}
		switch {
		case err != nil:
		case of.IsVariadic():
			results = called.CallSlice(args)
		default:
			results = called.Call(args)
		}
		if err == nil {
			err = c.end(results[0])
		}
		if err != nil {
			return []reflect.Value{reflect.Zero(of.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		if len(results) == 1 {
			results = append(results, reflect.Zero(failure))
		}
		return results
	}).Interface()
}

// given returns the arguments as a template has them.
func given(args []reflect.Value, isVariadic bool) []reflect.Value {
	if !isVariadic {
		return args
	}
	last := len(args) - 1
	all := slices.Clone(args[:last])
	for i := range args[last].Len() {
		all = append(all, args[last].Index(i))
	}
	return all
}

// begin returns an error if a call costs too much, before it is made.
func (c call) begin(args []reflect.Value) error {
	size := 0
	for _, arg := range args {
		size += sizeOf(arg)
	}
	if err := c.run.spend(1 + size/64); err != nil {
		return err
	}
	switch {
	case len(args) > maxArguments:
		return errArguments
	case (c.name == "concat" || c.name == "keys") && size > maxCounted:
		return errTooLarge
	case slices.Contains(shallow, c.name):
		return nil
	}
	return c.beginDeep(c.printed(args))
}

// printed returns the arguments that a function prints, also those that it prints only because their type is wrong.
func (c call) printed(args []reflect.Value) []reflect.Value {
	switch {
	case c.name == "dict": // its keys
		var keys []reflect.Value
		for i := 0; i < len(args); i += 2 {
			keys = append(keys, args[i])
		}
		return keys
	case (c.name == "slice" || c.name == "mustSlice") && len(args) > 0: // its numbers
		return args[1:]
	}
	return args
}

// beginDeep returns an error if a call of a function that reads all of its arguments costs too much.
func (c call) beginDeep(args []reflect.Value) error {
	e, err := measure(args...)
	if err != nil {
		return err
	}
	if err := c.run.spend(e.values / 16); err != nil {
		return err
	}
	if e.opaque && slices.Contains(printing, c.name) {
		return errOpaque
	}
	made := e.bytes*max(growth[c.name], 4) + e.values*64
	switch c.name {
	case "join":
		made = e.bytes + e.values*(64+textLength(args[0]))
	case "printf":
		made += printedWidths(args) * e.values
	case "toPrettyJson", "mustToPrettyJson":
		made += e.values * e.depth * 2
	case "deepCopy", "mustDeepCopy":
		err = c.run.spend(e.values)
	case "fromJson", "mustFromJson":
		err = c.run.spend(e.bytes / 4)
	case "uniq", "mustUniq":
		err = c.spendProduct(sizeOf(args[0]), e.values)
	case "without", "mustWithout":
		err = c.spendProduct(len(args), e.values)
	}
	if err == nil && (made < 0 || made > maxTextMade) {
		err = errTooLarge
	}
	return err
}

// spendProduct spends what it costs to compare each of some values with each of others.
func (c call) spendProduct(some, others int) error {
	if others > 0 && some > maxCosts*64/others {
		return c.run.spend(maxCosts)
	}
	return c.run.spend(some * others / 64)
}

// end returns an error if a result is too large, or if making it has cost too much.
func (c call) end(result reflect.Value) error {
	if isTooLarge(result) {
		return errTooLarge
	}
	size := sizeOf(result)
	if result.Kind() == reflect.Interface {
		result = result.Elem()
	}
	weight := 64 // bytes of a text that cost a unit
	switch {
	case result.Kind() == reflect.String:
		c.run.keep(size)
	case slices.Contains(selecting, c.name):
	case result.Kind() == reflect.Map:
		weight = 2
	case result.Kind() == reflect.Slice:
		weight = 16
	}
	return c.run.spend(size / weight)
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

// textLength returns the number of bytes of a text, and 0 for other values.
func textLength(value reflect.Value) int {
	if value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	if value.Kind() != reflect.String {
		return 0
	}
	return value.Len()
}
