package yamltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// scalar writes a value of a basic type.
func (e *encoder) scalar(v reflect.Value, indent int, at place) error {
	switch {
	case v.Kind() == reflect.String && v.Type() == reflect.TypeFor[json.Number]():
		e.word(jsonNumber(v.String()), at)
	case v.Kind() == reflect.String:
		e.text(v.String(), indent, at)
	case v.Kind() == reflect.Bool:
		e.word(strconv.FormatBool(v.Bool()), at)
	case v.CanInt():
		e.word(strconv.FormatInt(v.Int(), 10), at)
	case v.CanFloat():
		e.word(float(v.Float()), at)
	default:
		return fmt.Errorf("a value of type %s has no form in YAML", v.Type())
	}
	return nil
}

// viaJSON writes a value that says itself what it is in JSON.
func (e *encoder) viaJSON(v reflect.Value, indent int, at place) error {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.UseNumber()
	var value any
	if err := decode.Decode(&value); err != nil {
		return err
	}
	return e.value(reflect.ValueOf(value), indent, at)
}

// jsonNumber returns a number of JSON as YAML has it: integers of 64 bits keep all their digits.
func jsonNumber(text string) string {
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(whole, 10)
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return float(number)
	}
	return text
}

// float returns a number as YAML has it: an integer without a point where 64 bits hold it.
func float(number float64) string {
	if number == 0 {
		return "0" // also when it is below zero
	}
	digits := strconv.FormatFloat(number, 'f', -1, 64)
	if _, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return digits
	}
	if _, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return digits
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}
