package operatortest

import (
	"path"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// Defaulted returns a copy of a custom resource with the defaults of its schema, as the API server
// returns it and Sync gets it. crds is a file or a directory of CRDs; one of them has the kind that
// the Go type is named after. Its version is that of the object's apiVersion, or else the one that
// the Go package is named after, or else the stored one.
func Defaulted[T client.Object](t testing.TB, crds string, object T) T {
	t.Helper()
	kind := object.GetObjectKind().GroupVersionKind()
	of := reflect.TypeOf(object).Elem()
	if kind.Empty() {
		kind = schema.GroupVersionKind{Version: path.Base(of.PkgPath()), Kind: of.Name()}
	}
	found, err := instance.ReadCRDs(crds)
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range found {
		if crd.Spec.Names.Kind == kind.Kind && (kind.Group == "" || crd.Spec.Group == kind.Group) {
			return withDefaults(t, object, versionSchema(crd, kind.Version))
		}
	}
	t.Fatalf("%s has no CRD of kind %s", crds, kind.Kind)
	return object
}

// versionSchema returns the schema of a version, or else of the stored one.
func versionSchema(crd *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.JSONSchemaProps {
	var stored *apiextensionsv1.JSONSchemaProps
	for _, version := range crd.Spec.Versions {
		if version.Schema == nil {
			continue
		}
		if version.Name == name {
			return version.Schema.OpenAPIV3Schema
		}
		if version.Storage {
			stored = version.Schema.OpenAPIV3Schema
		}
	}
	return stored
}

func withDefaults[T client.Object](t testing.TB, object T, of *apiextensionsv1.JSONSchemaProps) T {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.SetDefaults(content, of); err != nil {
		t.Fatal(err)
	}
	defaulted := reflect.New(reflect.TypeOf(object).Elem()).Interface().(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, defaulted); err != nil {
		t.Fatal(err)
	}
	return defaulted
}
