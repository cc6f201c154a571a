package main

import (
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// openNodes walks the schema and the Go types of a version side by side. It returns the nodes whose
// Go type says less than their schema, and those that have none.
func openNodes(crd *apiextv1.CustomResourceDefinition, pkg gomodel.Package) []string {
	w := openWalk{model: newModel(pkg)}
	for _, v := range crd.Spec.Versions {
		if v.Name == pkg.Version {
			w.walkNode(v.Schema.OpenAPIV3Schema, w.model.rootType(), v.Name)
		}
	}
	return w.found
}

type openWalk struct {
	model model
	found []string
}

func (w *openWalk) addFinding(path, what string) { w.found = append(w.found, path+": "+what) }

func (w *openWalk) walkNode(s *apiextv1.JSONSchemaProps, t *gomodel.GoType, path string) {
	plain, declared := w.model.resolveType(t)
	switch {
	case plain == nil:
		w.addFinding(path, "has no Go type")
	case isOpen(plain):
		if isTyped(s) {
			w.addFinding(path, "is "+plain.Name+" in Go although the schema has a type")
		}
	case plain.Shape == gomodel.Name && plain.Package != "": // a type of Kubernetes, whose schema is the same
	case declared != nil:
		w.walkFields(s, declared, path)
	case plain.Shape == gomodel.List && s.Items != nil && s.Items.Schema != nil:
		w.walkNode(s.Items.Schema, plain.Elem, path+"[*]")
	case plain.Shape == gomodel.Map && s.AdditionalProperties != nil:
		w.walkValues(s.AdditionalProperties, plain.Elem, path+".*")
	case s.Type == "object" || s.Type == "array" && s.Format != "byte":
		w.addFinding(path, "is "+plain.String()+" in Go although the schema has an "+s.Type)
	}
}

// walkFields walks the fields of a struct; those that every object has are not the schema's to say.
func (w *openWalk) walkFields(s *apiextv1.JSONSchemaProps, declared *gomodel.Type, path string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if declared.Object && (name == "apiVersion" || name == "kind" || name == "metadata") {
			continue
		}
		property := s.Properties[name]
		w.walkNode(&property, fieldByKey(declared, name), path+"."+name)
	}
}

func (w *openWalk) walkValues(values *apiextv1.JSONSchemaPropsOrBool, t *gomodel.GoType, path string) {
	if values.Schema != nil {
		w.walkNode(values.Schema, t, path)
	} else if plain, _ := w.model.resolveType(t); plain != nil && !isOpen(plain) {
		w.addFinding(path, "is "+plain.String()+" in Go although anything is allowed")
	}
}

// isTyped reports whether a schema says what its values are: more than that they are objects of any
// kind.
func isTyped(s *apiextv1.JSONSchemaProps) bool {
	switch {
	case s.XIntOrString || len(s.Properties) > 0:
		return true
	case s.Type == "object":
		return s.AdditionalProperties != nil || s.XPreserveUnknownFields == nil
	}
	return s.Type != ""
}
