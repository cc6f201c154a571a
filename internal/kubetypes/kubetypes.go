package kubetypes

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Kind is a kind that Kubernetes API servers serve, such as Deployment.
type Kind struct {
	Group      string `json:"group,omitempty"` // empty for the core group
	Version    string `json:"version"`
	Kind       string `json:"kind"`
	Plural     string `json:"plural"`
	Namespaced bool   `json:"namespaced,omitempty"`
	GoPackage  string `json:"goPackage"` // import path, such as k8s.io/api/apps/v1
	GoName     string `json:"goName"`
}

// APIVersion returns the kind's apiVersion, such as v1 or apps/v1.
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Form is the kind of a Go type, as reflect.Kind is.
type Form string

// The forms of a Go type.
const (
	Struct Form = "struct"
	Map    Form = "map"
	Slice  Form = "slice"
	Scalar Form = "scalar"
)

// Copy is how generated deepcopy code copies a value of a Go type.
type Copy string

// The ways to copy a value.
const (
	// CopyAssign is for types without references: an assignment is enough.
	CopyAssign Copy = "assign"
	// CopyInto is for structs whose DeepCopyInto is generated.
	CopyInto Copy = "into"
	// CopyPointer is for types whose DeepCopy is written by hand and returns a pointer, such as
	// metav1.Time.
	CopyPointer Copy = "pointer"
	// CopyValue is for types whose DeepCopy is written by hand and returns a value, such as
	// resource.Quantity.
	CopyValue Copy = "value"
	// CopyElements is for maps and slices: each element is copied as the type's Elem says.
	CopyElements Copy = "elements"
)

// Type is a Go type of Kubernetes. Its schema is the one that controller-gen gives a field of the
// type with generateEmbeddedObjectMeta, so that it names the fields of embedded metadata.
type Type struct {
	GoPackage string `json:"goPackage"` // import path, such as k8s.io/api/core/v1
	GoName    string `json:"goName"`
	Form      Form   `json:"form"`
	Copy      Copy   `json:"copy"`
	Elem      Copy   `json:"elem,omitempty"` // of the elements of a Map or Slice

	Schema apiextv1.JSONSchemaProps `json:"schema"`
}
