// Package kubetypes is what opgen knows of Kubernetes' own types without loading any Go package.
//
//	Lookup      apiVersion, kind   → Kind   its plural, its scope, its Go type
//	TypeByName  core/v1.PodSpec    → Type   its Go type and the schema that a field of it has in a CRD
//
// All of it comes from bundle.zip, which go generate makes with controller-tools from the versions
// of the Kubernetes modules in go.mod. Loading these packages on each run would take many seconds.
//
// The archive has one entry for each type, and a schema refers by name to the types that it is made
// of. For example, the entry core/v1.PodSpec refers to core/v1.Container. So a lookup reads only
// the few entries that it needs, and a command that looks nothing up reads nothing.
package kubetypes

//go:generate go run ./bundle bundle.zip
