package yamltext

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// structType is how values of a struct are written.
type structType struct {
	fields   []field // by name
	marshals bool    // it says itself what it is in JSON
	schema   []int   // the field that it stands for unless that is nil: of a schema or something else
}

// field is a field of a struct that is written.
type field struct {
	name      string
	index     []int
	omitEmpty bool // when it has no elements or is the zero of its type
	omitZero  bool
	keepEmpty bool // when it has no elements and is not nil
}

func (e *encoder) typeOf(t reflect.Type) structType {
	if known, ok := e.types[t]; ok {
		return known
	}
	made := structType{marshals: t.Implements(reflect.TypeFor[json.Marshaler]())}
	switch t {
	case reflect.TypeFor[apiextv1.JSONSchemaPropsOrArray](), reflect.TypeFor[apiextv1.JSONSchemaPropsOrBool]():
		schema, _ := t.FieldByName("Schema")
		made.schema = schema.Index
	}
	if !made.marshals {
		made.fields = fieldsOf(t)
	}
	e.types[t] = made
	return made
}

// fieldsOf returns the fields of a struct and of those that are embedded in it without a name.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
		case f.IsExported() && name != "" && name != "-":
			fields = append(fields, field{
				name: name, index: f.Index,
				omitEmpty: hasOption(options, "omitempty"),
				omitZero:  hasOption(options, "omitzero"),
				keepEmpty: t == reflect.TypeFor[apiextv1.JSONSchemaProps](),
			})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return compareKeys(a.name, b.name) })
	return fields
}

func hasOption(options, name string) bool { return slices.Contains(strings.Split(options, ","), name) }

// leftOut tells whether a value says nothing.
func (f field) leftOut(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice:
		return f.omitEmpty && (v.IsNil() || v.Len() == 0 && !f.keepEmpty)
	case reflect.String:
		return f.omitEmpty && v.Len() == 0
	case reflect.Struct:
		return f.omitZero && v.IsZero()
	}
	return (f.omitEmpty || f.omitZero) && v.IsZero()
}
