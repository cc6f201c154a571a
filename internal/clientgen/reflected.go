package clientgen

import (
	"reflect"

	"k8s.io/gengo/v2/types"
)

// addReflected describes a struct of Kubernetes that opgen itself links, with all its fields: kinds embed it, so the
// generators make methods for them.
func addReflected[T any](u universe) { u.reflected(reflect.TypeFor[T]()) }

// reflected describes a type of Go.
func (u universe) reflected(in reflect.Type) *types.Type {
	if in.Name() == "" {
		switch in.Kind() {
		case reflect.Pointer:
			return u.anonymous("*", types.Pointer, u.reflected(in.Elem()))
		case reflect.Slice:
			return u.anonymous("[]", types.Slice, u.reflected(in.Elem()))
		case reflect.Map:
			m := u.anonymous("map[string]", types.Map, u.reflected(in.Elem()))
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
				Name: f.Name, Embedded: f.Anonymous, Tags: string(f.Tag), Type: u.reflected(f.Type),
			})
		}
	}
	return out
}
