// Package kubetypes is what opgen knows of Kubernetes' own types without loading any Go package.
//
//	Lookup      apiVersion, kind   → Kind   its plural, its scope, its Go type
//	TypeByName  core/v1.PodSpec    → Type   its Go type and the schema that a field of it has in a CRD
//
// All of it comes from bundle.zip, which go generate makes with controller-tools from the versions
// of the Kubernetes modules in go.mod. The archive has one entry for each type, and a schema refers
// to the types it is made of by name, so that a lookup reads the few entries it needs and nothing
// is read before the first lookup.
package kubetypes

//go:generate go run ./bundle bundle.zip
