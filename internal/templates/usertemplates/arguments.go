package usertemplates

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"text/template"
)

const (
	maxNumber  = 1 << 53 // of ranges of numbers: beyond it, steps overflow
	maxVersion = 1000    // bytes of a version, and of a constraint
)

var errVersion = errors.New("is too long for a version")

// limitArguments replaces the functions that take too long for certain arguments in a single call.
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
	wrap := functions["wrapWith"].(func(int, string, string) string)
	functions["wrapWith"] = func(width int, newLine, text string) (string, error) {
		if len(newLine) > 0 && len(text)/max(width, 1) > maxText/len(newLine) {
			return "", errTooLarge
		}
		return wrap(width, newLine, text), nil
	}
	limitParts(functions)
	limitCounts(functions)
	limitVersions(functions)
}

// limitParts replaces the functions that split texts.
func limitParts(functions template.FuncMap) {
	split, list := functions["split"].(func(string, string) map[string]string), functions["splitList"].(func(string, string) []string)
	splitn := functions["splitn"].(func(string, int, string) map[string]string)
	functions["split"] = func(sep, text string) (map[string]string, error) {
		if strings.Count(text, sep) >= maxCounted {
			return nil, errTooLarge
		}
		return split(sep, text), nil
	}
	functions["splitList"] = func(sep, text string) ([]string, error) {
		if strings.Count(text, sep) >= maxCounted {
			return nil, errTooLarge
		}
		return list(sep, text), nil
	}
	functions["splitn"] = func(sep string, parts int, text string) (map[string]string, error) {
		if (parts < 0 || parts > maxCounted) && strings.Count(text, sep) >= maxCounted {
			return nil, errTooLarge
		}
		return splitn(sep, parts, text), nil
	}
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

// isCountable reports whether a range of numbers is short enough, and no number of it is too large to count on.
func isCountable(start, stop, step int) bool {
	for _, number := range []int{start, stop, step} {
		if number > maxNumber || number < -maxNumber {
			return false
		}
	}
	return step == 0 || max(stop-start, start-stop)/max(step, -step) <= maxCounted
}

// limitVersions replaces the functions that read versions.
func limitVersions(functions template.FuncMap) {
	compare := functions["semverCompare"].(func(string, string) (bool, error))
	functions["semverCompare"] = func(constraint, version string) (bool, error) {
		if len(constraint) > maxVersion || len(version) > maxVersion {
			return false, errVersion
		}
		return compare(constraint, version)
	}
	parse := reflect.ValueOf(functions["semver"])
	functions["semver"] = func(version string) (any, error) {
		if len(version) > maxVersion {
			return nil, errVersion
		}
		results := parse.Call([]reflect.Value{reflect.ValueOf(version)})
		err, _ := results[1].Interface().(error)
		return results[0].Interface(), err
	}
}

// printedWidths returns how many bytes the widths and precisions of a format of printf make at most of one value. Each
// verb may print any of the arguments, and * takes a width from them.
func printedWidths(args []reflect.Value) int {
	if len(args) == 0 {
		return 0
	}
	format, total, widest := args[0].String(), 0, 0
	for _, arg := range args[1:] {
		if arg.Kind() == reflect.Interface {
			arg = arg.Elem()
		}
		if arg.CanInt() {
			widest = max(widest, min(int(max(arg.Int(), -arg.Int())), 1000000))
		}
	}
	largest := 0
	for _, arg := range args[1:] {
		e, err := measure(arg)
		if err != nil {
			return maxTextMade
		}
		largest = max(largest, e.bytes*10/max(e.values, 1))
	}
	for at := strings.IndexByte(format, '%'); at >= 0 && total <= maxTextMade; at = strings.IndexByte(format, '%') {
		verb := strings.IndexFunc(format[at+1:], func(r rune) bool { return !strings.ContainsRune("0123456789.*[]+-# ", r) })
		if verb < 0 {
			verb = len(format) - at - 1
		}
		flags := format[at+1 : at+1+verb]
		total += 64 + largest + strings.Count(flags, "*")*widest
		for number := range strings.FieldsFuncSeq(flags, func(r rune) bool { return r < '0' || r > '9' }) {
			width, err := strconv.Atoi(number)
			if err != nil || width > 1000000 {
				width = 1000000 // more is an error of the format
			}
			total += width
		}
		format = format[min(at+verb+2, len(format)):]
	}
	return total
}
