// Package kinds completes the kinds that spec files name: parents, children and related objects,
// with everything that the file may leave out.
package kinds

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Resource is a kind of objects with everything that a spec file may leave out.
type Resource struct {
	Field            string // of the structs that hold its objects, such as Pods
	APIVersion, Kind string
	Group, Plural    string
	// Namespaced is true if its objects lie in namespaces.
	Namespaced bool
	// GoPackage and GoName are the Go type; both are empty for unstructured objects.
	GoPackage, GoName string
	// Registered is true if client-go's scheme knows the Go type.
	Registered bool
	// Foreign is true if neither Kubernetes nor the project defines the kind.
	Foreign bool

	schema *apiextv1.JSONSchemaProps // of a kind of the project
}

// Parent is a kind that a controller operates, with what its spec file says of it.
type Parent struct {
	Resource
	Spec spec.Parent
}

// Child is a kind of children, with what its spec file says of it.
type Child struct {
	Resource
	Spec spec.Child
}

// Related is a kind of related objects, with what its spec file says of it.
type Related struct {
	Resource
	Spec spec.Related
}

// Scope returns whether objects of the kind lie in namespaces.
func (r Resource) Scope() spec.Scope {
	if r.Namespaced {
		return spec.Namespaced
	}
	return spec.Cluster
}

// Schema returns the schema of a whole object of the kind; nil if it is not known. That of a kind
// of Kubernetes comes from the bundle of its types.
func (r Resource) Schema() *apiextv1.JSONSchemaProps {
	if r.schema != nil || r.Foreign {
		return r.schema
	}
	kind, ok := kubetypes.Lookup(r.APIVersion, r.Kind)
	if !ok {
		return nil
	}
	known, ok := kubetypes.TypeByName(kubetypes.NameOf(kind.GoPackage, kind.GoName))
	if !ok {
		return nil
	}
	return new(kubetypes.WithMetadata(known.Schema, kubetypes.NoMetadata)) // an object has all fields of metadata
}
