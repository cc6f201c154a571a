package kubetypes

import (
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Kind is a kind that every Kubernetes API server serves, such as Deployment.
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

// Form is the shape of a Go type.
type Form string

// The forms of a Go type.
const (
	Struct Form = "struct"
	Map    Form = "map"
	Slice  Form = "slice"
	Scalar Form = "scalar"
)

// Type is a Go type of Kubernetes, with the schema that controller-gen gives a field of that type.
type Type struct {
	GoPackage string // import path, such as k8s.io/api/core/v1
	GoName    string
	Form      Form
	Shallow   bool // a plain assignment is a deep copy
	Schema    apiextv1.JSONSchemaProps
}
