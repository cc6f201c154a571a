package gomodel

import (
	"cmp"
	"encoding/json"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// The Go types of schemas without a type.
const (
	typeJSON         = "apiextensions/v1.JSON"
	typeRawExtension = "runtime.RawExtension"
)

// typeOf returns the Go type of a node. It declares the types that this needs.
func (b *packageBuilder) typeOf(n node) *GoType {
	s := n.schema
	k := &s.Keywords
	switch {
	case s.Use != nil:
		return b.typeOfUse(n)
	case s.Type != "":
		return typeNamed(s)
	case k.XIntOrString:
		return kubeType(spec.TypeIntOrString)
	case IsStruct(s):
		return b.declareStruct(n.withName(b.names.claim(n.name)))
	case k.Type == "object" && s.AdditionalProperties != nil:
		return &GoType{Shape: Map, Elem: b.elementOf(n, s.AdditionalProperties, "additionalProperties", Map)}
	case k.Type == "object" && s.AdditionalPropertiesAllowed != nil:
		return &GoType{Shape: Map, Elem: kubeType(typeJSON)}
	case k.Type == "object":
		return kubeType(typeRawExtension)
	case k.Type == "array" && s.Items != nil:
		return &GoType{Shape: List, Elem: b.elementOf(n, s.Items, "items", List)}
	case stringEnum(k) != nil:
		return b.declareEnum(n.withName(b.names.claim(n.enumName(b.kindName, b.names))))
	default:
		return scalarType(k)
	}
}

// scalarType returns the Go type of a node that is neither an object nor a list. Integers are never
// int, because its size depends on the platform.
func scalarType(k *apiextv1.JSONSchemaProps) *GoType {
	switch k.Type {
	case "boolean":
		return basicType("bool")
	case "integer":
		if k.Format == "int32" {
			return basicType("int32")
		}
		return basicType("int64")
	case "number":
		if k.Format == "float" {
			return basicType("float32")
		}
		return basicType("float64")
	case "string":
		switch k.Format {
		case "byte":
			return &GoType{Shape: List, Elem: basicType("byte")}
		case "date-time":
			return kubeType(spec.TypeTime)
		}
		return basicType("string")
	default:
		return kubeType(typeJSON)
	}
}

func basicType(name string) *GoType {
	return &GoType{Shape: Name, Name: name, Form: kubetypes.Scalar, Copy: kubetypes.CopyAssign}
}

// kubeType returns a type of Kubernetes. The name exists, because the CRD was built from it.
func kubeType(name string) *GoType {
	return typeNamed(&spec.Schema{Type: name})
}

// typeNamed returns the Kubernetes or Go type that a node names.
func typeNamed(s *spec.Schema) *GoType {
	t, _ := crdgen.TypeOf(s)
	named := &GoType{Shape: Name, Name: t.GoName, Package: t.GoPackage, Form: t.Form, Copy: t.Copy, ElemCopy: t.Elem}
	if s.Go != nil {
		named.PackageName = s.Go.PackageName
	}
	return named
}

func metaType(name string) *GoType { return kubeType("meta/v1." + name) }

// elementOf returns the type of the elements of a list or map. There are fewer markers for elements
// than for fields. An element that needs others gets a named type, which can have them.
func (b *packageBuilder) elementOf(parent node, s *spec.Schema, step string, of Shape) *GoType {
	s = ElementSchema(s, of)
	n := node{
		schema: s, name: elementName(parent.name), prefix: elementName(parent.name),
		path: parent.path + "." + step, status: parent.status, element: true,
		hasCrossFieldRules: parent.hasCrossFieldRules || hasOwnCrossFieldRules(s),
	}
	t := b.elementType(n, of)
	if crdgen.FullSchema(s).Nullable {
		return t.orReference()
	}
	return t
}

// elementType returns the type of an element that is not null.
func (b *packageBuilder) elementType(n node, of Shape) *GoType {
	s, t := n.schema, b.typeOf(n)
	if ElementExpressible(s, of) || t.Package != "" || t.isBytes() { // controller-gen takes a named type of bytes for a list
		return t
	}
	n = n.withName(b.names.claim(n.name))
	b.pkg.Types = append(b.pkg.Types, Type{
		Name: n.name, Of: t, Doc: n.ownDoc(),
		Markers: append(validationMarkers(s), itemMarkers(s)...),
	})
	return namedType(n.name, t)
}

// isBytes reports whether a type is []byte, which is a string in JSON.
func (t *GoType) isBytes() bool {
	return t.Shape == List && t.Elem.Shape == Name && t.Elem.Name == "byte" && t.Elem.Package == ""
}

// namedType returns a type of this package that is declared as another one.
func namedType(name string, of *GoType) *GoType {
	t := &GoType{Shape: Name, Name: name, Of: of, Form: kubetypes.Scalar, Copy: kubetypes.CopyAssign}
	switch of.Shape {
	case List:
		t.Form, t.Copy = kubetypes.Slice, kubetypes.CopyElements
	case Map:
		t.Form, t.Copy = kubetypes.Map, kubetypes.CopyElements
	}
	return t
}

// declareEnum declares the type of a string with a fixed set of values, and a constant for each.
func (b *packageBuilder) declareEnum(n node) *GoType {
	t := Type{Name: n.name, Of: basicType("string"), Markers: validationMarkers(n.schema), Doc: n.ownDoc()}
	for _, value := range stringEnum(&n.schema.Keywords) {
		t.Constants = append(t.Constants, Constant{Name: b.names.claim(cmp.Or(n.schema.GoConstants[value], constantName(n.name, value))), Value: value})
	}
	b.pkg.Types = append(b.pkg.Types, t)
	return namedType(n.name, t.Of)
}

// enumName returns the name of the type of an enum, which is also the prefix of its constants.
// Below status it consists of the kind and the field, as below spec, unless that name is taken. For
// example, WebAppPhase has a constant WebAppPhaseRunning.
func (n node) enumName(kind string, names nameSet) string {
	if rest, below := strings.CutPrefix(n.name, kind+"Status"); below && n.status && rest != "" && !names[kind+rest] {
		return kind + rest
	}
	return n.name
}

// stringEnum returns the values of an enum, nil if there is no enum or if a value is not a string.
func stringEnum(k *apiextv1.JSONSchemaProps) []string {
	if k.Type != "string" {
		return nil
	}
	var values []string
	for _, raw := range k.Enum {
		var value *string
		if json.Unmarshal(raw.Raw, &value) != nil || value == nil {
			return nil
		}
		values = append(values, *value)
	}
	return values
}
