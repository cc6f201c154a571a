package clientgen

import (
	"reflect"

	"k8s.io/gengo/v2/types"
)

// addReflected adds a struct of Kubernetes with all its fields, as reflection sees it. The
// generators need the fields of a struct that kinds embed, since they generate methods for each.
func addReflected[T any](u universe) { u.addReflectedType(reflect.TypeFor[T]()) }

// addReflectedType adds a type of Go.
func (u universe) addReflectedType(in reflect.Type) *types.Type {
	if in.Name() == "" {
		switch in.Kind() {
		case reflect.Pointer:
			return u.anonymousType("*", types.Pointer, u.addReflectedType(in.Elem()))
		case reflect.Slice:
			return u.anonymousType("[]", types.Slice, u.addReflectedType(in.Elem()))
		case reflect.Map:
			m := u.anonymousType("map[string]", types.Map, u.addReflectedType(in.Elem()))
			m.Key = types.String
			return m
		}
	}
	out := u.Type(types.Name{Package: in.PkgPath(), Name: in.Name()})
	if out.Kind != types.Unknown {
		return out
	}
	if in.Kind() != reflect.Struct {
		out.Kind, out.Underlying = types.Alias, types.String
		return out
	}
	out.Kind = types.Struct
	for i := range in.NumField() {
		f := in.Field(i)
		if f.IsExported() {
			out.Members = append(out.Members, types.Member{
				Name: f.Name, Embedded: f.Anonymous, Tags: string(f.Tag), Type: u.addReflectedType(f.Type),
			})
		}
	}
	return out
}
