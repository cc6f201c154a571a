package yamltext

import (
	"reflect"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Marshal returns an object as YAML, by the names that its fields have in JSON. Equal objects give equal bytes. A
// list or a map of a schema that is empty and not nil stays, since a CRD may say properties: {}.
func Marshal(object any) ([]byte, error) {
	e := encoder{types: map[reflect.Type]structType{}}
	e.out = make([]byte, 0, initialSize)
	if err := e.value(reflect.ValueOf(object), 0, atStart); err != nil {
		return nil, err
	}
	return e.out, nil
}

// initialSize is that of a usual CRD.
const initialSize = 64 << 10

// encoder writes Go values.
type encoder struct {
	writer
	types map[reflect.Type]structType // those that were met
}

// value writes a value, below a key or dash at the column indent.
func (e *encoder) value(v reflect.Value, indent int, at place) error {
	switch {
	case isNil(v):
		e.word("null", at)
		return nil
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return e.value(v.Elem(), indent, at)
	case v.Kind() == reflect.Map:
		return e.mapOf(v, indent, at)
	case v.Kind() == reflect.Slice:
		return e.sliceOf(v, indent, at)
	case v.Kind() == reflect.Struct:
		return e.structOf(v, indent, at)
	}
	return e.scalar(v, indent, at)
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func (e *encoder) mapOf(v reflect.Value, indent int, at place) error {
	if properties, ok := v.Interface().(map[string]apiextv1.JSONSchemaProps); ok {
		return e.schemas(properties, indent, at)
	}
	b := e.mapping(indent, at)
	keys := map[string]reflect.Value{}
	for _, key := range v.MapKeys() {
		keys[key.String()] = key
	}
	for _, name := range sortedKeys(keys) {
		place := b.key(name)
		if err := e.value(v.MapIndex(keys[name]), b.indent, place); err != nil {
			return err
		}
	}
	b.end()
	return nil
}

// schemas is mapOf for what CRDs are made of: without a copy of every schema on the heap.
func (e *encoder) schemas(properties map[string]apiextv1.JSONSchemaProps, indent int, at place) error {
	b := e.mapping(indent, at)
	var schema apiextv1.JSONSchemaProps
	v := reflect.ValueOf(&schema).Elem()
	for _, name := range sortedKeys(properties) {
		place := b.key(name)
		schema = properties[name]
		if err := e.value(v, b.indent, place); err != nil {
			return err
		}
	}
	b.end()
	return nil
}

func (e *encoder) sliceOf(v reflect.Value, indent int, at place) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return e.viaJSON(v, indent, at)
	}
	b := e.list(indent, at)
	for i := range v.Len() {
		b.dash()
		if err := e.value(v.Index(i), b.indent, afterDash); err != nil {
			return err
		}
	}
	b.end()
	return nil
}

func (e *encoder) structOf(v reflect.Value, indent int, at place) error {
	t := e.typeOf(v.Type())
	switch {
	case t.schema != nil && !v.FieldByIndex(t.schema).IsNil():
		return e.value(v.FieldByIndex(t.schema), indent, at)
	case t.marshals:
		return e.viaJSON(v, indent, at)
	}
	b := e.mapping(indent, at)
	for _, f := range t.fields {
		value := v.FieldByIndex(f.index)
		if f.leftOut(value) {
			continue
		}
		place := b.key(f.name)
		if err := e.value(value, b.indent, place); err != nil {
			return err
		}
	}
	b.end()
	return nil
}
