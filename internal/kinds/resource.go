// Package kinds completes the kinds that spec files name: parents, children and related objects. A
// spec file may say apps/v1 Deployment only; the plural, the scope and the Go type come from
// Kubernetes, or from the project for its own kinds.
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
	// Namespaced is true if objects of the kind have a namespace.
	Namespaced bool
	// GoPackage and GoName are the Go type; both are empty for unstructured objects.
	GoPackage, GoName string
	// Registered is true if client-go's scheme knows the Go type.
	Registered bool
	// Foreign is true if neither Kubernetes nor the project defines the kind.
	Foreign bool

	schema func() *apiextv1.JSONSchemaProps // of a kind of the project; nil for the others
}

// Parent is a kind that a controller reconciles, with its entry in the spec file.
type Parent struct {
	Resource
	Spec spec.Parent
}

// Child is a kind of children, with its entry in the spec file.
type Child struct {
	Resource
	Spec spec.Child
}

// Related is a kind of related objects, with its entry in the spec file.
type Related struct {
	Resource
	Spec spec.Related
	// OfChild is the entry of children that control the objects; nil: there is none.
	OfChild *Child
	// Through is the kind that the child controls and that controls the objects; nil: there is none.
	Through *Resource
}

// Through returns the kind of what objects of one kind control to control those of another one; nil if
// they do so themselves.
func Through(controller, controlled Resource) *Resource {
	isDeployment := controller.Group == "apps" && controller.Kind == "Deployment"
	if !isDeployment || controlled.Group == "apps" && controlled.Kind == "ReplicaSet" {
		return nil
	}
	return &Resource{APIVersion: "apps/v1", Kind: "ReplicaSet", Group: "apps", Plural: "replicasets", Namespaced: true}
}

// Scope returns whether the kind is namespaced or cluster-scoped.
func (r Resource) Scope() spec.Scope {
	if r.Namespaced {
		return spec.Namespaced
	}
	return spec.Cluster
}

// Schema returns the schema of a whole object of the kind, and nil if it is not known. It makes the
// schema of a kind of the project, and reads that of a kind of Kubernetes, at each call.
func (r Resource) Schema() *apiextv1.JSONSchemaProps {
	switch {
	case r.schema != nil:
		return r.schema()
	case r.Foreign:
		return nil
	}
	kind, ok := kubetypes.Lookup(r.APIVersion, r.Kind)
	if !ok {
		return nil
	}
	known, ok := kubetypes.TypeByName(kubetypes.NameOf(kind.GoPackage, kind.GoName))
	if !ok {
		return nil
	}
	return new(kubetypes.WithMetadata(known.Schema, kubetypes.NoMetadata)) // an object may have any metadata
}
