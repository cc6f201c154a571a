package main

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// singleTypes lists the packages of which only one type is wanted. The others are not part of any
// API, or are recursive.
var singleTypes = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource":                     "Quantity",
	"k8s.io/apimachinery/pkg/runtime":                          "RawExtension",
	"k8s.io/apimachinery/pkg/util/intstr":                      "IntOrString",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1": "JSON",
}

// types returns every type with its full schema, by its name in spec files. It leaves out the types
// that controller-gen refuses because they cannot be in an API, for example those with channels.
func (k *kube) types() map[string]kubetypes.Type {
	found := map[string]kubetypes.Type{}
	for _, p := range k.packages {
		for _, name := range k.wantedNames(p) {
			before := k.countErrors()
			ident := crd.TypeIdent{Package: p, Name: name}
			k.parser.NeedFlattenedSchemaFor(ident)
			if k.countErrors() > before {
				continue
			}
			t := describeType(p, name)
			t.Schema = k.parser.FlattenedSchemata[ident]
			found[kubetypes.NameOf(t.GoPackage, t.GoName)] = t
		}
	}
	return found
}

// wantedNames returns the names of a package's wanted types, sorted.
func (k *kube) wantedNames(p *loader.Package) []string {
	if name, ok := singleTypes[p.PkgPath]; ok {
		return []string{name}
	}
	names := map[string]bool{}
	for ident := range k.parser.Types {
		if ident.Package == p && ast.IsExported(ident.Name) {
			names[ident.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// describeType returns what the Go type itself says: its form, and how it is copied.
func describeType(p *loader.Package, name string) kubetypes.Type {
	t := kubetypes.Type{GoPackage: loader.NonVendorPath(p.PkgPath), GoName: name}
	named := p.Types.Scope().Lookup(name).Type()
	t.Copy = copyOf(named)
	switch under := named.Underlying().(type) {
	case *types.Struct:
		t.Form = kubetypes.Struct
	case *types.Map:
		t.Form, t.Elem = kubetypes.Map, copyOf(under.Elem())
	case *types.Slice:
		t.Form, t.Elem = kubetypes.Slice, copyOf(under.Elem())
	default:
		t.Form = kubetypes.Scalar
	}
	return t
}

// copyOf returns how a value is copied. It cannot see generated methods, because the packages are
// loaded without generated files.
func copyOf(t types.Type) kubetypes.Copy {
	if method, _, _ := types.LookupFieldOrMethod(t, true, nil, "DeepCopy"); method != nil {
		if _, ok := method.Type().(*types.Signature).Results().At(0).Type().(*types.Pointer); ok {
			return kubetypes.CopyPointer
		}
		return kubetypes.CopyValue
	}
	if method, _, _ := types.LookupFieldOrMethod(t, true, nil, "DeepCopyInto"); method != nil {
		return kubetypes.CopyPointer
	}
	switch under := t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return kubetypes.CopyElements
	case *types.Struct:
		for field := range under.Fields() {
			if copyOf(field.Type()) != kubetypes.CopyAssign {
				return kubetypes.CopyInto
			}
		}
	case *types.Pointer, *types.Interface:
		return kubetypes.CopyInto
	}
	return kubetypes.CopyAssign
}
