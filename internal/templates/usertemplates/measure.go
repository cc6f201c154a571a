package usertemplates

import (
	"errors"
	"fmt"
	"reflect"
)

const (
	maxNested   = 1000        // values in each other
	maxReached  = 1 << 20     // values that a value consists of, each as often as it is printed
	maxTextMade = 8 * maxText // bytes that a call may make at most, before its result is looked at
)

var (
	errNested  = errors.New("contains itself, or is nested more than 1000 deep")
	errReached = errors.New("consists of too many values: the limit is 1048576")
	errOpaque  = errors.New("cannot be printed as a whole: print its values, such as .Name")
)

// extent is how large values are when all that they contain is printed.
type extent struct {
	values int  // also those in lists, dicts and structs
	bytes  int  // of texts
	depth  int  // of values in each other
	opaque bool // it contains what prints as an address of the machine's memory
}

// measure returns the extent of values. It ends soon for every value: it returns an error for one that contains itself,
// or that consists of too many. text/template, fmt and encoding/json do not look for either.
func measure(values ...reflect.Value) (extent, error) {
	var e extent
	for _, value := range values {
		if err := e.add(value, 0, 0); err != nil {
			return e, err
		}
	}
	return e, nil
}

// add adds a value. depth counts all steps to it, and within those into what contains it.
func (e *extent) add(value reflect.Value, depth, within int) error {
	if value.Kind() == reflect.Interface {
		if value.IsNil() {
			return nil
		}
		return e.add(value.Elem(), depth, within)
	}
	e.depth = max(e.depth, depth)
	if e.values++; e.values > maxReached || e.bytes > maxTextMade {
		return errReached
	}
	if depth > maxNested {
		return errNested
	}
	if isText(value) {
		e.bytes += 64
		return nil
	}
	switch value.Kind() {
	case reflect.String:
		e.bytes += value.Len()
	case reflect.Pointer:
		if !value.IsNil() {
			e.opaque = e.opaque || within > 0
			return e.add(value.Elem(), depth+1, within+1)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		e.opaque = true
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return e.addParts(value, depth+1, within+1)
	}
	return nil
}

// addParts adds what is in a list, a dict or a struct.
func (e *extent) addParts(value reflect.Value, depth, within int) error {
	switch value.Kind() {
	case reflect.Map:
		for each := value.MapRange(); each.Next(); {
			for _, part := range []reflect.Value{each.Key(), each.Value()} {
				if err := e.add(part, depth, within); err != nil {
					return err
				}
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if err := e.add(value.Field(i), depth, within); err != nil {
				return err
			}
		}
	default:
		for i := range value.Len() {
			if err := e.add(value.Index(i), depth, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// isText reports whether a value prints as the short text of its own method, such as a version.
func isText(value reflect.Value) bool {
	if !value.IsValid() || !value.CanInterface() {
		return false
	}
	_, isStringer := value.Interface().(fmt.Stringer)
	return isStringer
}
