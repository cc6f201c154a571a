// Package crdgen makes the CustomResourceDefinition of an API of the spec language, and objects of
// it.
//
//	CRD             *spec.API     → CustomResourceDefinition   checked with the code of the API server
//	Sample          *spec.API     → a valid object
//	ValidateObject  CRD, object   → the errors that the API server would report
//
// CRD has four stages, each in the file of its name. A stage passes on what it has found:
//
//	resolve   finds the schemas of the Kubernetes and Go types that schema nodes refer to
//	schema    builds the schemas of all versions from the nodes and these types, and checks their size (size.go)
//	check     validates the CRD with the code of the API server, and compiles its CEL rules
//	locate    maps the errors to positions in the spec file
//
// Schemas of Kubernetes types come from package kubetypes. Package gotypes has put those of Go
// types into the API. The package reads and writes no files.
package crdgen
