package gotypes

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// jsonField is a field that a struct has in JSON, of its own or by embedding.
type jsonField struct {
	path  []string // Go names of the embedded types, and of the field
	index int      // of the field of the struct itself that it comes from
}

func (f jsonField) String() string { return strings.Join(f.path, ".") }

// maxEmbedding bounds the depth of embedded structs: one may embed a pointer to itself.
const maxEmbedding = 64

// jsonFields returns all fields that a struct has by JSON name, those that others hide included.
func jsonFields(t types.Type) map[string][]jsonField {
	all := map[string][]jsonField{}
	addJSONFields(t, jsonField{index: -1}, nil, all)
	return all
}

// addJSONFields adds the fields of a struct that is embedded by a field. outer are the structs around it.
func addJSONFields(t types.Type, by jsonField, outer []types.Type, all map[string][]jsonField) {
	under, ok := pointedTo(t).Underlying().(*types.Struct)
	if !ok || len(outer) > maxEmbedding || slices.Contains(outer, types.Type(under)) {
		return
	}
	outer = append(slices.Clone(outer), under)
	for i := range under.NumFields() {
		field := under.Field(i)
		tag, tagged := reflect.StructTag(under.Tag(i)).Lookup("json")
		if !tagged || tag == "-" || !field.Exported() && !field.Embedded() {
			continue
		}
		found := jsonField{append(slices.Clone(by.path), field.Name()), by.index}
		if by.index < 0 {
			found.index = i
		}
		if name := jsonName(tag); name != "" {
			all[name] = append(all[name], found)
		} else if field.Embedded() {
			addJSONFields(field.Type(), found, outer, all)
		}
	}
}

// findDominant returns the field that JSON takes of several with one name: the one that is embedded least
// deep. It reports false if JSON takes none, because two are equally deep.
func findDominant(fields []jsonField) (jsonField, bool) {
	best, only := fields[0], true
	for _, field := range fields[1:] {
		switch {
		case len(field.path) < len(best.path):
			best, only = field, true
		case len(field.path) == len(best.path):
			only = false
		}
	}
	return best, only
}

// checkNames reports JSON names of several fields of which JSON takes none.
func (f *fieldChecker) checkNames(pkg *loader.Package, info *markers.TypeInfo, structType *ast.StructType) {
	t := declaredType(pkg, info)
	if t == nil {
		return
	}
	all := jsonFields(t)
	for _, name := range sortedKeys(all) {
		first, one := findDominant(all[name])
		if one {
			continue
		}
		level := slices.DeleteFunc(slices.Clone(all[name]), func(other jsonField) bool { return len(other.path) != len(first.path) })
		last := level[len(level)-1]
		if last.index == first.index {
			continue // reported where the embedded type itself is checked
		}
		f.reportAt(fieldAt(structType, last.index), "the JSON name "+name+" of "+last.String()+" is that of "+first.String()+", too, and JSON leaves both out",
			"give one of the two another name, or declare a field of that name here, which JSON takes instead")
	}
}

func declaredType(pkg *loader.Package, info *markers.TypeInfo) types.Type {
	if pkg.TypesInfo == nil || pkg.TypesInfo.Defs[info.RawSpec.Name] == nil {
		return nil
	}
	return pkg.TypesInfo.Defs[info.RawSpec.Name].Type()
}

// fieldAt returns the declaration of a field by its index in the type: one declaration may have several.
func fieldAt(structType *ast.StructType, index int) *ast.Field {
	for _, field := range structType.Fields.List {
		index -= max(1, len(field.Names))
		if index < 0 {
			return field
		}
	}
	return structType.Fields.List[len(structType.Fields.List)-1]
}

// hiddenNames returns the JSON names of an embedded field that a struct takes from another field.
func hiddenNames(holder types.Type, index int) []string {
	var hidden []string
	all := jsonFields(holder)
	for _, name := range sortedKeys(all) {
		best, _ := findDominant(all[name])
		if best.index != index && slices.ContainsFunc(all[name], func(f jsonField) bool { return f.index == index }) {
			hidden = append(hidden, name)
		}
	}
	return hidden
}
